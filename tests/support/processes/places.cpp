#include "tests/support/processes/places.h"

#include <fstream>
#include <sstream>

namespace vramlab::support {

std::string source_dir() { return VRAMLAB_SOURCE_DIR; }
std::string binary_dir() { return VRAMLAB_BINARY_DIR; }

std::string content_of(const std::string& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

}  // namespace vramlab::support
