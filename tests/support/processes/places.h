// The places of the source tree and the build. This is the only source that knows them when it is
// compiled, so that a compiler cache serves every clone of the tree with all others.
#pragma once

#include <string>

namespace vramlab::support {

/// The top of the source tree; no slash at the end.
std::string source_dir();
/// The folder of the built programs; no slash at the end.
std::string binary_dir();

/// All bytes of a file; empty if it can't be read.
std::string content_of(const std::string& path);

}  // namespace vramlab::support
