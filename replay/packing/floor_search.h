// FloorSearch: looks through packings below a given height, from the ground up, until one is found
// or the budget is used up. For small sets of buffers.
//
// Each step puts one more buffer on the floor below it: the highest end of what was placed in its
// sections. Buffers are placed by ascending offset, so nothing goes below what is there. A state is
// given up where in some section the floor and what is still to come do not fit, and a buffer is
// no choice where another one fits wholly below it.
#pragma once

#include <optional>

#include "replay/packing/buffer.h"

namespace vramlab::replay {

struct FloorBudget {
  /// States to look at.
  std::uint64_t states = 0;
};

/// At most so high; nothing where none was found.
std::optional<Packing> floor_search(const std::vector<Buffer>& buffers, const Sections& sections,
                                    Bytes height, const FloorBudget& budget);

}  // namespace vramlab::replay
