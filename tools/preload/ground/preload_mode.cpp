#include "tools/preload/ground/preload_mode.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace vramlab::preload {
namespace {

constexpr std::pair<std::string_view, PreloadMode> mode_names[] = {
    {"deferred", PreloadMode::deferred}, {"sync", PreloadMode::sync},
    {"nosplit", PreloadMode::nosplit},   {"record", PreloadMode::record},
    {"off", PreloadMode::off},
};

pthread_once_t mode_once = PTHREAD_ONCE_INIT;
PreloadMode mode_of_process = PreloadMode::off;

/// The user who starts a setuid program must not tell it what to do, or where to write.
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

void say(std::initializer_list<std::string_view> parts) {
  std::array<char, 512> line{};
  std::size_t used = 0;
  const auto add = [&](std::string_view part) {
    const std::size_t fits = std::min(part.size(), line.size() - 1 - used);
    used += part.copy(line.data() + used, fits);
  };
  add("vramlab: ");
  for (const std::string_view part : parts) add(part);
  line[used++] = '\n';
  const int error_before = errno;
  // If standard error is closed, the message is lost.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), used);
  errno = error_before;
}

}  // namespace vramlab::preload
