// Packed machine code: blocks in the format of LZ4, as nvcc packs what it puts into fat binaries.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace vramlab::dry_run {

/// Empty-handed where the bytes are no such block, or would become more than they say.
std::optional<std::vector<char>> unpack(std::span<const char> packed, std::size_t unpacked_bytes);

}  // namespace vramlab::dry_run
