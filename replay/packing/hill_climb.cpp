#include "replay/packing/hill_climb.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "replay/packing/free_ranges.h"
#include "traces/workloads/workload_random.h"

namespace vramlab::replay {
namespace {

using traces::WorkloadRandom;
using Pair = std::pair<std::uint32_t, std::uint32_t>;

/// Empty if there are too many.
std::optional<std::vector<Pair>> pairs_of(const std::vector<Buffer>& buffers,
                                          std::uint64_t most_pairs) {
  std::vector<Pair> pairs;
  std::vector<std::uint32_t> there;
  for (const std::uint32_t i : indices_by(buffers, std::mem_fn(&Buffer::begin))) {
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

/// If two orders have one height, the one in which less reaches the top is nearer to a lower one.
struct Rating {
  Bytes height;
  std::size_t at_top = 0;
  friend auto operator<=>(const Rating&, const Rating&) = default;
};

std::vector<std::uint32_t> topmost(const std::vector<Buffer>& buffers, const Packing& packing) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < buffers.size(); ++i)
    if (packing.offsets[i] + buffers[i].size == packing.height) found.push_back(i);
  return found;
}

void move_to(BufferOrder& order, std::size_t from, std::size_t to) {
  const auto at = [&](std::size_t i) { return order.begin() + static_cast<std::ptrdiff_t>(i); };
  if (from < to)
    std::rotate(at(from), at(from + 1), at(to + 1));
  else
    std::rotate(at(to), at(from), at(from + 1));
}

/// Mostly something at the top is placed earlier, sometimes anything anywhere.
void change(BufferOrder& order, const std::vector<std::uint32_t>& top, WorkloadRandom& random) {
  constexpr std::uint64_t anything_once_in = 8;
  if (random.one_in(anything_once_in)) {
    // Each in a statement of its own: compilers differ in which argument they compute first.
    const std::size_t to = random.index_below(order.size());
    const std::size_t from = random.index_below(order.size());
    move_to(order, from, to);
    return;
  }
  const std::uint32_t moved = top[random.index_below(top.size())];
  const auto at = static_cast<std::size_t>(std::ranges::find(order, moved) - order.begin());
  move_to(order, at, random.index_below(at + 1));
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

Packing hill_climb(const std::vector<Buffer>& buffers, const OverlapLists& lists, BufferOrder order,
                   const ClimbBudget& budget) {
  WorkloadRandom random(budget.seed);
  Packing best = place_in_order(buffers, lists, order);
  std::vector<std::uint32_t> top = topmost(buffers, best);
  Rating rating{best.height, top.size()};
  const std::uint64_t work_of_one = lists.pair_count() * 2 + buffers.size();
  for (std::uint64_t used = work_of_one; used + work_of_one <= budget.work; used += work_of_one) {
    if (best.height <= budget.bound || top.empty()) break;
    BufferOrder tried = order;
    change(tried, top, random);
    Packing packing = place_in_order(buffers, lists, tried);
    std::vector<std::uint32_t> new_top = topmost(buffers, packing);
    const Rating now{packing.height, new_top.size()};
    if (now > rating) continue;
    rating = now;
    order = std::move(tried);
    top = std::move(new_top);
    best = std::move(packing);
  }
  return best;
}

}  // namespace vramlab::replay
