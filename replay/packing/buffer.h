// Buffer: something that needs bytes in one range of addresses for a while. What packers place.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "allocator/types/bytes_and_ids.h"

namespace vramlab::replay {

struct Buffer {
  /// [begin, end), in any unit. Requires: begin < end.
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  Bytes size;
  /// What its offset must be a multiple of. Requires: not 0.
  Bytes alignment{1};
};

/// The offset of a buffer that has no place yet.
inline constexpr std::uint64_t not_placed = std::numeric_limits<std::uint64_t>::max();

/// One offset for each buffer, and how high that is.
struct Packing {
  std::vector<Bytes> offsets;
  Bytes height;
};

/// Indices of buffers, in the order of this key; equal ones as they are.
template <class Key>
std::vector<std::uint32_t> indices_by(const std::vector<Buffer>& buffers, const Key& key) {
  std::vector<std::uint32_t> order(buffers.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return key(buffers[i]); });
  return order;
}

/// The highest end of a buffer. Requires: an offset for each buffer.
Bytes height_of(const std::vector<Buffer>& buffers, const std::vector<Bytes>& offsets);

// Sections: the stretches of time in which a set of buffers begins to be there before one of them
// ends. Buffers overlap exactly where they share a section, and there are at most as many sections
// as buffers, whatever the unit of time is.

struct SectionSpan {
  /// [first, last)
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

struct Sections {
  /// By buffer.
  std::vector<SectionSpan> spans;
  /// The bytes that are there in each section.
  std::vector<std::uint64_t> loads;
};

/// Requires: fewer than 2^32 buffers.
Sections sections_of(const std::vector<Buffer>& buffers);

/// The highest load: no packing is lower.
Bytes load_bound(const Sections& sections);

}  // namespace vramlab::replay
