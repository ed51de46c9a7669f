// The engine that replays use, from headers of which one has a rule broken. It stands before the
// library's and takes its place.
#include "allocator/caching_allocator.h"
#include "allocator/caching_allocator_checkpoints.h"
#include "allocator/caching_allocator_pools.h"
#include "allocator/caching_allocator_replay.h"
#include "allocator/caching_allocator_requests.h"
#include "allocator/caching_allocator_snapshot.h"

namespace vramlab::allocator {

template class CachingAllocator<Listeners<>>;

}  // namespace vramlab::allocator
