// FloorSearch: looks for a packing below a given height from the ground up (floor_walk.h): many
// short walks, each in another order, until one arrives or the budget is used up. The time that a
// single order takes differs by orders of magnitude, so that many short ones are faster than a long
// one. For small sets of buffers.
#pragma once

#include <functional>
#include <optional>

#include "replay/packing/buffer.h"

namespace vramlab::replay {

/// Runs tasks 0 to count-1, in any order, on any number of threads.
using TaskRunner =
    std::function<void(std::size_t count, const std::function<void(std::size_t)>& task)>;

/// On this thread.
void run_one_by_one(std::size_t count, const std::function<void(std::size_t)>& task);

struct FloorBudget {
  /// States to look at, for each set of buffers that shares no time with others.
  std::uint64_t states = 0;
  std::uint64_t seed = 1;
  /// The answer is the same with any.
  TaskRunner run = run_one_by_one;
};

/// A state looks at all sections of all buffers that wait, so large sets can have fewer.
std::uint64_t affordable_states(const Sections& sections, std::uint64_t states);

/// At most so high; nothing where none was found.
std::optional<Packing> floor_search(const std::vector<Buffer>& buffers, const Sections& sections,
                                    Bytes height, const FloorBudget& budget);

}  // namespace vramlab::replay
