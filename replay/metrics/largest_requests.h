// The largest request that a lane could serve, by the allocator's own rules: from cached memory,
// and with memory that the device still gives; and how much of a lane's free memory is of use to a
// workload. Pure functions over a snapshot.
#pragma once

#include <span>

#include "replay/metrics/fragmentation.h"

namespace vramlab::replay {

/// The segments of one lane, and the rules and limits that they are judged by.
struct LaneView {
  std::span<const SnapshotSegment* const> segments;
  const FragmentationRules& rules;
  /// How much more the allocator may hold.
  Bytes allowed_left = allocator::unlimited;
};

/// The largest request served without new device memory; 0 where nothing can be served.
Bytes largest_cached_request(const LaneView& lane);

enum class Cached : std::uint8_t { kept, released };

/// Memory that the device still gives, with everything cached kept or released.
struct NewMemory {
  Cached cached = Cached::kept;
  Bytes device_free;
};

/// The largest request served with a new segment, or by growing an expandable one. The view says
/// how much may be held. A lane without segments is the large half of a pool.
Bytes largest_new_request(const LaneView& lane, const NewMemory& memory);

/// How much of the lane's free memory can serve requests of the sizes that the workload makes: the
/// mean over the requests of the lane's stream and half, each weighted by its bytes. A hole holds
/// as many of one size as fit into it. 0 where no request would come to this lane. Requires: the
/// rules have requests.
Bytes usable_bytes(const LaneView& lane);

}  // namespace vramlab::replay
