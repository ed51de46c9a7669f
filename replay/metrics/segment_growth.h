// The places where expandable segments of a lane would grow for a request. The first unmapped
// addresses with room enough behind them, what is free right before them included, are chosen,
// whether or not the device has memory to fill them.
#pragma once

#include "replay/metrics/largest_requests.h"

namespace vramlab::replay {

/// The largest request for which there is memory to map.
Bytes largest_growth(const LaneView& lane, const NewMemory& memory);

/// The hole that is grown for a request of this size as things are: where it is as large already,
/// nothing is mapped and the request gets a part of it, whatever the limits of splitting say.
Bytes hole_grown_for(const LaneView& lane, Bytes size);

}  // namespace vramlab::replay
