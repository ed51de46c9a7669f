// FloorSearch: looks for a packing below a given height from the ground up: many short walks, each
// in another order, until one finds a packing or the budget is used up. The time that a single
// order takes differs by orders of magnitude, so many short walks are faster than a long one. For
// small sets of buffers.
#pragma once

#include <cstdint>
#include <optional>

#include "replay/packing/buffer.h"
#include "replay/packing/packing_core.h"

namespace vramlab::replay {

struct FloorBudget {
  /// The most states of each set of buffers that shares no time with the others.
  std::uint64_t states = 0;
  std::uint64_t seed = 1;
  SearchRuns runs = {};
};

/// How many states a search can have at the cost of `states` for a small set: a state looks at all
/// sections of all waiting buffers, so large sets can have fewer.
std::uint64_t affordable_states(const Sections& sections, std::uint64_t states);

/// A packing of at most this height; empty where none was found.
std::optional<Packing> floor_search(const std::vector<Buffer>& buffers, const Sections& sections,
                                    Bytes height, const FloorBudget& budget);

}  // namespace vramlab::replay
