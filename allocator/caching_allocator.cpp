#include "allocator/caching_allocator.h"

#include "allocator/caching_allocator_checkpoints.h"
#include "allocator/caching_allocator_pools.h"
#include "allocator/caching_allocator_replay.h"
#include "allocator/caching_allocator_requests.h"
#include "allocator/caching_allocator_snapshot.h"

namespace vramlab::allocator {

template class CachingAllocator<Listeners<>>;
template class CachingAllocator<Listeners<Statistics>>;
template class CachingAllocator<Listeners<Statistics, History>>;
template class CachingAllocator<Listeners<Statistics, History, ActedRules>>;

}  // namespace vramlab::allocator
