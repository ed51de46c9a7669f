// PackingOrders: orders in which buffers are placed, each at the lowest offset that is free during
// its lifetime. Most packing heuristics of the literature are an order and this rule.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "replay/packing/buffer.h"

namespace vramlab::replay {

struct PackingOrder {
  std::string_view name;
  /// The buffer that comes first, in words.
  std::string_view sentence;
  /// The key of each buffer: the highest key comes first, then the largest size, then the longest
  /// lifetime.
  std::vector<std::uint64_t> (*keys)(const std::vector<Buffer>& buffers, const Sections& sections);
};

/// All orders; the first one usually wins.
std::span<const PackingOrder> packing_orders();

/// Indices of buffers.
using BufferOrder = std::vector<std::uint32_t>;
BufferOrder order_by(const PackingOrder& order, const std::vector<Buffer>& buffers,
                     const Sections& sections);

/// Places each buffer at the lowest offset that those before it in the order leave free. Gives up
/// after `most_work` looks at taken ranges.
std::optional<Packing> place_in_order(
    const std::vector<Buffer>& buffers, const Sections& sections, const BufferOrder& order,
    std::uint64_t most_work = std::numeric_limits<std::uint64_t>::max());

/// Places each buffer into the smallest gap that it fits in, in order of time: as an online
/// allocator would with freedom to split and no segments.
Packing place_in_time(const std::vector<Buffer>& buffers);

}  // namespace vramlab::replay
