// Buffer: something that needs bytes in one range of addresses for a while. What packers place.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "allocator/words/bytes.h"

namespace vramlab::replay {

struct Buffer {
  /// [begin, end), in any unit. Requires: begin < end.
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  allocator::Bytes size;
  /// What its offset must be a multiple of. Requires: not 0.
  allocator::Bytes alignment{1};
};

/// The offset of a buffer that has no place yet.
inline constexpr std::uint64_t not_placed = std::numeric_limits<std::uint64_t>::max();

/// Where the buffers lie, one offset each, and how high that is.
struct Packing {
  std::vector<allocator::Bytes> offsets;
  allocator::Bytes height;
};

/// The highest end of a buffer. Requires: an offset for each buffer.
allocator::Bytes height_of(const std::vector<Buffer>& buffers,
                           const std::vector<allocator::Bytes>& offsets);

}  // namespace vramlab::replay
