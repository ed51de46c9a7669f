#include "tools/preload/ground/preload_mode.h"

#include <pthread.h>

#include <cstdlib>
#include <string_view>
#include <utility>

#include "tools/preload/ground/message.h"

namespace vramlab::preload {
namespace {

constexpr std::pair<std::string_view, PreloadMode> mode_names[] = {
    {"deferred", PreloadMode::deferred}, {"sync", PreloadMode::sync},
    {"nosplit", PreloadMode::nosplit},   {"record", PreloadMode::record},
    {"off", PreloadMode::off},
};

pthread_once_t mode_once = PTHREAD_ONCE_INIT;
PreloadMode mode_of_process = PreloadMode::off;

/// A setuid program is not told by who starts it what to do, or where to write.
void read_mode() {
  const ModeVariables given{secure_getenv("VRAMLAB_SHIM"), secure_getenv("VRAMLAB_RECORD")};
  const auto mode = preload_mode(given);
  if (!mode)
    say({"VRAMLAB_SHIM=", given.shim,
         " is no mode (deferred, sync, nosplit, record, off): ", "nothing is replaced"});
  mode_of_process = mode.value_or(PreloadMode::off);
}

}  // namespace

std::optional<PreloadMode> preload_mode(const ModeVariables& given) {
  if (given.shim != nullptr && *given.shim != '\0') {
    for (const auto& [name, mode] : mode_names)
      if (name == given.shim) return mode;
    return std::nullopt;
  }
  if (given.record != nullptr && *given.record != '\0') return PreloadMode::record;
  return PreloadMode::deferred;
}

PreloadMode process_mode() {
  pthread_once(&mode_once, read_mode);
  return mode_of_process;
}

}  // namespace vramlab::preload
