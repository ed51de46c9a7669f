// Buffers, which need bytes in one range of addresses for a while, and a packing of them: an offset
// for each. Sections are the time of packers. The check of a packing knows nothing of how packings
// are made.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "allocator/types/bytes_and_ids.h"

namespace vramlab::replay {

struct Buffer {
  /// [begin, end), in any unit. Requires: begin < end.
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  Bytes size;
  /// The offset must be a multiple of it. Requires: not 0.
  Bytes alignment{1};
};

/// The offset of a buffer that has no place yet.
inline constexpr std::uint64_t not_placed = std::numeric_limits<std::uint64_t>::max();

/// One offset for each buffer, and the highest end.
struct Packing {
  std::vector<Bytes> offsets;
  Bytes height;
};

/// Indices of buffers, in the order of this key; equal ones keep their order.
template <class Key>
std::vector<std::uint32_t> indices_by(const std::vector<Buffer>& buffers, const Key& key) {
  std::vector<std::uint32_t> order(buffers.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return key(buffers[i]); });
  return order;
}

/// The highest end of a buffer. Requires: an offset for each buffer.
Bytes height_of(const std::vector<Buffer>& buffers, const std::vector<Bytes>& offsets);

struct SectionSpan {
  /// [first, last)
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

/// Stretches of time: a section ends where a buffer begins after another one has ended. Buffers
/// overlap exactly where they share a section, and buffers have at most as many sections as their
/// number, whatever the unit of time is.
struct Sections {
  /// The sections of each buffer.
  std::vector<SectionSpan> spans;
  /// The live bytes of each section.
  std::vector<std::uint64_t> loads;
};

/// Requires: fewer than 2^32 buffers.
Sections sections_of(const std::vector<Buffer>& buffers);

/// The highest load: no packing is lower.
Bytes load_bound(const Sections& sections);

/// Compares every pair of buffers that are live at the same time. A sentence about the first fault:
/// an overlap, an offset that is not aligned, a height that is not the highest end. Empty if the
/// packing has no fault.
std::optional<std::string> packing_fault(const std::vector<Buffer>& buffers,
                                         const Packing& packing);

}  // namespace vramlab::replay
