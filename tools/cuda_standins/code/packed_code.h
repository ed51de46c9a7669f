// Packed machine code: blocks in the format of LZ4, as nvcc of CUDA 12 packs what it puts into fat
// binaries, or of Zstandard, as that of CUDA 13 does. The latter needs libzstd.so.1 on the machine.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace vramlab::dry_run {

/// Empty-handed where the bytes are no such block, or would become more than they say.
std::optional<std::vector<char>> unpack(std::span<const char> packed, std::size_t unpacked_bytes);

}  // namespace vramlab::dry_run
