// Bytes as files are packed, for tests.
#pragma once

#include <string>

namespace vramlab::support {

std::string gzip(const std::string& bytes);
std::string zstd(const std::string& bytes);
/// Without a header, as members of a zip archive are.
std::string deflated(const std::string& bytes);

}  // namespace vramlab::support
