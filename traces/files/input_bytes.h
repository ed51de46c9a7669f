// The bytes of an input: read as a whole, and unpacked where the first bytes say that it is gzip or
// zstd. Files that are too large, also those that only become so when unpacked, are refused.
#pragma once

#include <cstddef>
#include <string>

namespace vramlab::traces {

struct InputLimits {
  std::size_t file_bytes = std::size_t{64} << 20;
  std::size_t unpacked_bytes = std::size_t{64} << 20;
};

/// `-` is standard input. Throws InputError.
std::string read_input_bytes(const std::string& path, const InputLimits& limits = {});

/// Unpacks what was read. `file` is for error messages only. Throws InputError.
std::string unpack_input(std::string bytes, const std::string& file,
                         const InputLimits& limits = {});

}  // namespace vramlab::traces
