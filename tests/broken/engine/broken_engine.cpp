// The engine that replays use, from headers of which one has a rule broken. It stands before the
// library's and takes its place.
#include "allocator/door/caching_allocator.h"
#include "allocator/door/caching_allocator_checkpoints.h"
#include "allocator/door/caching_allocator_pools.h"
#include "allocator/door/caching_allocator_replay.h"
#include "allocator/door/caching_allocator_requests.h"
#include "allocator/door/caching_allocator_snapshot.h"

namespace vramlab::allocator {

template class CachingAllocator<Listeners<>>;

}  // namespace vramlab::allocator
