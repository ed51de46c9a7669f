// How much of a lane's free memory requests of the sizes that a workload asks for could be served
// from.
#pragma once

#include "replay/state/largest_requests.h"

namespace vramlab::replay {

/// The mean over the requests of the lane's stream and half, each weighted by its bytes: a hole
/// holds as many of one size as fit into it. 0 where no request would come to this lane. Requires:
/// the rules have requests.
allocator::Bytes usable_bytes(const LaneView& lane);

}  // namespace vramlab::replay
