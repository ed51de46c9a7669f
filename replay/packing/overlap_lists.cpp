#include "replay/packing/overlap_lists.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "replay/packing/free_ranges.h"

namespace vramlab::replay {
namespace {

using Pair = std::pair<std::uint32_t, std::uint32_t>;

/// Nothing where there are too many.
std::optional<std::vector<Pair>> pairs_of(const std::vector<Buffer>& buffers,
                                          std::uint64_t most_pairs) {
  std::vector<std::uint32_t> order(buffers.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return buffers[i].begin; });
  std::vector<Pair> pairs;
  std::vector<std::uint32_t> there;
  for (const std::uint32_t i : order) {
    std::erase_if(there, [&](std::uint32_t j) { return buffers[j].end <= buffers[i].begin; });
    if (pairs.size() + there.size() > most_pairs) return std::nullopt;
    for (const std::uint32_t j : there) pairs.emplace_back(i, j);
    there.push_back(i);
  }
  return pairs;
}

/// Between taken ranges, which are sorted here.
std::uint64_t lowest_gap(std::vector<FreeRange>& taken, const Buffer& buffer) {
  std::ranges::sort(taken, {}, &FreeRange::begin);
  std::uint64_t offset = 0;
  for (const FreeRange& range : taken) {
    if (range.begin >= offset + buffer.size.count) break;
    offset = std::max(offset, aligned_up(range.end, buffer.alignment.count));
  }
  return offset;
}

}  // namespace

std::optional<OverlapLists> OverlapLists::of(const std::vector<Buffer>& buffers,
                                             std::uint64_t most_pairs) {
  const auto pairs = pairs_of(buffers, most_pairs);
  if (!pairs) return std::nullopt;
  OverlapLists lists;
  lists.begins_.assign(buffers.size() + 1, 0);
  for (const auto& [a, b] : *pairs) {
    ++lists.begins_[a + 1];
    ++lists.begins_[b + 1];
  }
  for (std::size_t i = 0; i < buffers.size(); ++i) lists.begins_[i + 1] += lists.begins_[i];
  lists.others_.resize(pairs->size() * 2);
  std::vector<std::size_t> next = lists.begins_;
  for (const auto& [a, b] : *pairs) {
    lists.others_[next[a]++] = b;
    lists.others_[next[b]++] = a;
  }
  return lists;
}

Packing place_in_order(const std::vector<Buffer>& buffers, const OverlapLists& lists,
                       const BufferOrder& order) {
  Packing packing;
  packing.offsets.assign(buffers.size(), {not_placed});
  std::vector<FreeRange> taken;
  for (const std::uint32_t i : order) {
    taken.clear();
    if (buffers[i].size.count > 0)
      for (const std::uint32_t other : lists.with(i)) {
        const std::uint64_t at = packing.offsets[other].count;
        if (at != not_placed && buffers[other].size.count > 0)
          taken.push_back({at, at + buffers[other].size.count});
      }
    packing.offsets[i] = {lowest_gap(taken, buffers[i])};
  }
  packing.height = height_of(buffers, packing.offsets);
  return packing;
}

}  // namespace vramlab::replay
