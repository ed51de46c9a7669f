// The engine that replays use, from headers of which one has a rule broken. It stands before the
// library's and takes its place.
#include "allocator/caching_allocator_steps.h"
#include "allocator/replay_access_steps.h"

namespace vramlab::allocator {

template class CachingAllocator<Listeners<>>;
template class ReplayView<Listeners<>>;
template class ReplayAccess<Listeners<>>;

}  // namespace vramlab::allocator
