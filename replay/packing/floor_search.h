// FloorSearch: looks for a packing below a given height from the ground up (floor_walk.h): many
// short walks, each in another order, until one arrives or the budget is used up. The time that a
// single order takes differs by orders of magnitude, so that many short ones are faster than a long
// one. For small sets of buffers.
#pragma once

#include <optional>

#include "replay/packing/buffer.h"
#include "replay/packing/search_runs.h"

namespace vramlab::replay {

struct FloorBudget {
  /// States to look at, for each set of buffers that shares no time with others.
  std::uint64_t states = 0;
  std::uint64_t seed = 1;
  SearchRuns runs = {};
};

/// A state looks at all sections of all buffers that wait, so large sets can have fewer.
std::uint64_t affordable_states(const Sections& sections, std::uint64_t states);

/// At most so high; nothing where none was found.
std::optional<Packing> floor_search(const std::vector<Buffer>& buffers, const Sections& sections,
                                    Bytes height, const FloorBudget& budget);

}  // namespace vramlab::replay
