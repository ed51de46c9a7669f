// A private pool whose memory was released has lost its users and takes no more requests. Where the
// pools that were found out say otherwise, two pools were taken for one: what is asked for
// afterwards belongs to another pool.
#pragma once

#include <vector>

#include "replay/follow/verify.h"

namespace vramlab::replay {

/// By life: the pools that were found out, with those apart that one name stood for.
std::vector<allocator::PoolId> pools_by_generation(const DeviceHistory& history,
                                                   const ExplainedHistory& explained);

}  // namespace vramlab::replay
