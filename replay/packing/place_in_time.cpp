#include <algorithm>
#include <limits>

#include "replay/packing/free_ranges.h"
#include "replay/packing/packing_orders.h"

namespace vramlab::replay {
namespace {

constexpr FreeRange everything{0, std::numeric_limits<std::uint64_t>::max()};

/// Buffers by beginning; of those that begin together the largest first.
BufferOrder by_begin(const std::vector<Buffer>& buffers) {
  BufferOrder order(buffers.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) {
    if (buffers[a].begin != buffers[b].begin) return buffers[a].begin < buffers[b].begin;
    return buffers[a].size > buffers[b].size;
  });
  return order;
}

BufferOrder by_end(const std::vector<Buffer>& buffers) {
  BufferOrder order(buffers.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return buffers[i].end; });
  return order;
}

}  // namespace

Packing place_in_time(const std::vector<Buffer>& buffers) {
  Packing packing;
  packing.offsets.resize(buffers.size());
  FreeRanges free;
  free.give_back(everything, everything);
  const BufferOrder ends = by_end(buffers);
  std::size_t ended = 0;
  for (const std::uint32_t i : by_begin(buffers)) {
    for (; buffers[ends[ended]].end <= buffers[i].begin; ++ended) {
      const Buffer& gone = buffers[ends[ended]];
      const std::uint64_t at = packing.offsets[ends[ended]].count;
      if (gone.size.count > 0) free.give_back({at, at + gone.size.count}, everything);
    }
    const Buffer& buffer = buffers[i];
    if (buffer.size.count == 0) continue;
    const FreeRange gap = *free.best_fit(buffer.size.count, buffer.alignment.count);
    const std::uint64_t at = aligned_up(gap.begin, buffer.alignment.count);
    free.take({at, at + buffer.size.count});
    packing.offsets[i] = {at};
  }
  packing.height = height_of(buffers, packing.offsets);
  return packing;
}

}  // namespace vramlab::replay
