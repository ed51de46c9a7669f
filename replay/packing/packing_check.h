// The independent check of a packing: every pair of buffers that are there at the same time is
// compared. It knows nothing of how packings are made.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "replay/packing/buffer.h"

namespace vramlab::replay {

/// A sentence about the first fault: an overlap, an offset that is not aligned, a height that is
/// not the highest end. Empty if all is well.
std::optional<std::string> packing_fault(const std::vector<Buffer>& buffers,
                                         const Packing& packing);

}  // namespace vramlab::replay
