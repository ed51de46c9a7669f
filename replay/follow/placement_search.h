// The search rules over placed blocks: which of some free blocks a request would get.
#pragma once

#include <optional>
#include <vector>

#include "replay/follow/placement_blocks.h"

namespace vramlab::replay {

struct PlacementRequest {
  allocator::Bytes rounded;
  PlacementBlocks::Class wanted;
  bool expandable_on = false;
};

/// Of all lives; or of those in `among` only.
std::optional<allocator::Address> search_placements(const PlacementBlocks& blocks,
                                                    const PlacementRequest& request,
                                                    const allocator::Settings& settings,
                                                    const std::vector<LifeIndex>* among = nullptr);

/// Lives with a free block that is large enough.
std::vector<LifeIndex> lives_with_room(const PlacementBlocks& blocks,
                                       const PlacementRequest& request);

}  // namespace vramlab::replay
