// How large the blocks were that were there at the start and did not survive: the file says only
// what was requested. A rest that was too small to be split off belongs to the block.
#pragma once

#include <cstdint>
#include <map>

#include "replay/follow/backward_run.h"

namespace vramlab::replay {

struct BlockExtents {
  std::map<allocator::Address, allocator::Bytes> sizes;
  /// Where neither a survivor nor a later event shows the size.
  std::uint64_t assumed_count = 0;
};

BlockExtents find_extents(const DeviceHistory& history, const StateThen& then,
                          const allocator::Settings& settings);

}  // namespace vramlab::replay
