#include "tools/preload/ground/preload_mode.h"

#include <pthread.h>

#include <array>
#include <cstdlib>
#include <utility>

#include "tools/preload/ground/message.h"

namespace vramlab::preload {
namespace {

constexpr std::array<std::pair<std::string_view, PreloadMode>, 5> mode_names = {{
    {"deferred", PreloadMode::deferred},
    {"sync", PreloadMode::sync},
    {"nosplit", PreloadMode::nosplit},
    {"record", PreloadMode::record},
    {"off", PreloadMode::off},
}};

pthread_once_t mode_once = PTHREAD_ONCE_INIT;
PreloadMode mode_of_process = PreloadMode::off;

void read_mode() {
  const ModeWords words{std::getenv("VRAMLAB_SHIM"), std::getenv("VRAMLAB_RECORD")};
  const auto mode = preload_mode(words);
  if (!mode)
    say({"VRAMLAB_SHIM=", words.shim,
         " is no mode (deferred, sync, nosplit, record, off): ", "nothing is replaced"});
  mode_of_process = mode.value_or(PreloadMode::off);
}

}  // namespace

std::optional<PreloadMode> preload_mode(std::string_view name) {
  for (const auto& [known, mode] : mode_names)
    if (known == name) return mode;
  return std::nullopt;
}

std::optional<PreloadMode> preload_mode(const ModeWords& words) {
  if (words.shim != nullptr && *words.shim != '\0')
    return preload_mode(std::string_view(words.shim));
  if (words.record != nullptr && *words.record != '\0') return PreloadMode::record;
  return PreloadMode::deferred;
}

PreloadMode process_mode() {
  pthread_once(&mode_once, read_mode);
  return mode_of_process;
}

}  // namespace vramlab::preload
