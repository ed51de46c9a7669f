// PackingOrders: in which order buffers are placed, each at the lowest offset that is free while it
// is there. Most packing heuristics of the literature are an order and this rule.
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
  /// What comes first.
  std::string_view sentence;
  /// The key of a buffer: the highest comes first, then the largest, then the longest there.
  std::vector<std::uint64_t> (*keys)(const std::vector<Buffer>& buffers, const Sections& sections);
};

/// The one that usually wins first.
std::span<const PackingOrder> packing_orders();

/// Indices of buffers.
using BufferOrder = std::vector<std::uint32_t>;
BufferOrder order_by(const PackingOrder& order, const std::vector<Buffer>& buffers,
                     const Sections& sections);

/// Each at the lowest offset that those before it in the order leave free. Given up after so many
/// looks at what is taken.
std::optional<Packing> place_in_order(
    const std::vector<Buffer>& buffers, const Sections& sections, const BufferOrder& order,
    std::uint64_t most_work = std::numeric_limits<std::uint64_t>::max());

/// As an online allocator would, with freedom to split and no segments: as time goes by, each
/// buffer into the smallest gap that it fits in.
Packing place_in_time(const std::vector<Buffer>& buffers);

}  // namespace vramlab::replay
