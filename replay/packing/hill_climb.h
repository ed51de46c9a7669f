// HillClimb: changes an order of placement a little, keeps what is no worse, and begins again,
// until the lowest possible height is reached or the budget is used up. The budget is work and not
// time, so that the same seed gives the same packing everywhere.
#pragma once

#include "replay/packing/overlap_lists.h"

namespace vramlab::replay {

struct ClimbBudget {
  std::uint64_t seed = 1;
  /// Pairs of buffers to compare.
  std::uint64_t work = 0;
  /// Nothing is lower.
  allocator::Bytes bound;
};

/// Not higher than the order it begins with.
Packing hill_climb(const std::vector<Buffer>& buffers, const OverlapLists& lists, BufferOrder order,
                   const ClimbBudget& budget);

}  // namespace vramlab::replay
