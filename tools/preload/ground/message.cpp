#include "tools/preload/ground/message.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>

namespace vramlab::preload {

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
