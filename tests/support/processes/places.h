// Where the source tree and the build are. This is the only source that knows it when it is
// compiled, so that a compiler cache serves every clone of the tree with all others.
#pragma once

#include <string>

namespace vramlab::support {

/// The top of the source tree; no slash at the end.
std::string source_dir();
/// Where the programs that were built lie; no slash at the end.
std::string binary_dir();

}  // namespace vramlab::support
