// What a live allocator knows of its state beside its snapshot.
#pragma once

#include "allocator/door/caching_allocator.h"
#include "replay/state/fragmentation.h"

namespace vramlab::replay {

/// `device_free`: what the device has left. Says nothing of what the workload asks for.
FragmentationRules rules_of(const allocator::RecordingAllocator& engine,
                            allocator::Bytes device_free);

}  // namespace vramlab::replay
