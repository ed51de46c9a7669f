#include "tools/preload/recorder/program_name.h"

#include <unistd.h>

#include <array>
#include <climits>

namespace vramlab::preload {

std::string program_name() {
  std::array<char, PATH_MAX> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  const std::string name(path.data(), length < 0 ? 0 : static_cast<std::size_t>(length));
  return name.substr(name.rfind('/') + 1);
}

}  // namespace vramlab::preload
