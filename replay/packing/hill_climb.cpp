#include "replay/packing/hill_climb.h"

#include <algorithm>

#include "traces/workloads/workload_random.h"

namespace vramlab::replay {
namespace {

using traces::WorkloadRandom;

/// Of two orders of one height that one is nearer to a lower one in which less reaches the top.
struct Rating {
  allocator::Bytes height;
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
    move_to(order, random.below(order.size()), random.below(order.size()));
    return;
  }
  const std::uint32_t moved = top[random.below(top.size())];
  const auto at = static_cast<std::size_t>(std::ranges::find(order, moved) - order.begin());
  move_to(order, at, random.below(at + 1));
}

}  // namespace

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
