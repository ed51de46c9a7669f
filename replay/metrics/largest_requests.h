// The largest request that a lane could serve, by the allocator's own rules: from what is cached,
// and with memory that the device still gives.
#pragma once

#include <span>

#include "replay/metrics/fragmentation.h"

namespace vramlab::replay {

/// The segments of one lane, and what they are judged by.
struct LaneView {
  std::span<const SnapshotSegment* const> segments;
  const FragmentationRules& rules;
  /// How much more the allocator may hold.
  Bytes allowed_left = allocator::unlimited;
};

/// Without new device memory; 0 where nothing can be served.
Bytes largest_cached_request(const LaneView& lane);

enum class Cached : std::uint8_t { kept, released };

/// What the device still gives, with everything cached kept or released.
struct NewMemory {
  Cached cached = Cached::kept;
  Bytes device_free;
};

/// With a new segment, or by growing an expandable one. The view says what may be held. A lane
/// without segments is the large half of a pool.
Bytes largest_new_request(const LaneView& lane, const NewMemory& memory);

/// Whether an expandable segment is grown for a request on a miss, as far as limits go.
bool may_grow(Bytes rounded, const LaneView& lane);

// How much of a lane's free memory requests of the sizes that a workload asks for could be served
// from.

/// The mean over the requests of the lane's stream and half, each weighted by its bytes: a hole
/// holds as many of one size as fit into it. 0 where no request would come to this lane. Requires:
/// the rules have requests.
Bytes usable_bytes(const LaneView& lane);

}  // namespace vramlab::replay
