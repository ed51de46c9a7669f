#include "tests/support/processes/places.h"

namespace vramlab::support {

std::string source_dir() { return VRAMLAB_SOURCE_DIR; }
std::string binary_dir() { return VRAMLAB_BINARY_DIR; }

}  // namespace vramlab::support
