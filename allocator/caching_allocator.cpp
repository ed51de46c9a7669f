#include "allocator/caching_allocator.h"

#include "allocator/caching_allocator_steps.h"
#include "allocator/replay_access_steps.h"

namespace vramlab::allocator {

template class CachingAllocator<Listeners<>>;
template class CachingAllocator<Listeners<Statistics>>;
template class CachingAllocator<Listeners<Statistics, History>>;
template class CachingAllocator<Listeners<Statistics, History, ActedRules>>;

template class ReplayView<Listeners<>>;
template class ReplayView<Listeners<Statistics>>;
template class ReplayView<Listeners<Statistics, History>>;
template class ReplayView<Listeners<Statistics, History, ActedRules>>;

template class ReplayAccess<Listeners<>>;
template class ReplayAccess<Listeners<Statistics>>;
template class ReplayAccess<Listeners<Statistics, History>>;
template class ReplayAccess<Listeners<Statistics, History, ActedRules>>;

}  // namespace vramlab::allocator
