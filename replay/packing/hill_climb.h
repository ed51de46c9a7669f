// HillClimb: changes an order of placement a little, keeps what is no worse, and begins again,
// until the lowest possible height is reached or the budget is used up. The budget is work and not
// time, so that the same seed gives the same packing everywhere.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "replay/packing/packing_orders.h"

namespace vramlab::replay {

// OverlapLists: of each buffer, which others are there at the same time. If there are few pairs
// this makes trying one order after another fast.

class OverlapLists {
 public:
  /// Empty if there are more pairs than that.
  static std::optional<OverlapLists> of(const std::vector<Buffer>& buffers,
                                        std::uint64_t most_pairs);

  std::span<const std::uint32_t> with(std::uint32_t buffer) const {
    return {others_.data() + begins_[buffer], begins_[buffer + 1] - begins_[buffer]};
  }
  std::uint64_t pair_count() const { return others_.size() / 2; }

 private:
  std::vector<std::size_t> begins_;
  std::vector<std::uint32_t> others_;
};

/// The same as place_in_order() with sections. Requires: all buffers are in the order.
Packing place_in_order(const std::vector<Buffer>& buffers, const OverlapLists& lists,
                       const BufferOrder& order);

struct ClimbBudget {
  std::uint64_t seed = 1;
  /// Pairs of buffers to compare.
  std::uint64_t work = 0;
  /// No packing is lower.
  Bytes bound;
};

/// Not higher than the order it begins with.
Packing hill_climb(const std::vector<Buffer>& buffers, const OverlapLists& lists, BufferOrder order,
                   const ClimbBudget& budget);

}  // namespace vramlab::replay
