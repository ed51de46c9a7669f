// The largest request that a lane could serve, by the allocator's own rules: from what is cached,
// and with memory that the device still gives.
#pragma once

#include <span>

#include "replay/fragmentation.h"

namespace vramlab::replay {

/// Without new device memory; 0 where nothing can be served.
allocator::Bytes largest_cached_request(std::span<const allocator::SnapshotSegment* const> lane,
                                        const allocator::Settings& settings);

/// With a new segment, or by growing an expandable one, when everything cached was released.
/// `device_free` is what the device has then. The segments are those of one lane; of a lane without
/// any it is the large half of a pool.
allocator::Bytes largest_new_request(std::span<const allocator::SnapshotSegment* const> lane,
                                     const FragmentationRules& rules, allocator::Bytes device_free);

/// Whether a free block of this size may serve a request of this rounded size; it must be as large.
bool may_serve(allocator::Bytes block, allocator::Bytes rounded,
               const allocator::Settings& settings);

}  // namespace vramlab::replay
