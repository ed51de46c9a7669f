// OverlapLists: of each buffer, which others are there at the same time. Where there are few pairs
// this makes trying one order after another fast.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "replay/packing/packing_orders.h"

namespace vramlab::replay {

class OverlapLists {
 public:
  /// Nothing where there are more pairs than that.
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

}  // namespace vramlab::replay
