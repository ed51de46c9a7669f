// What must hold of the allocator of pinned memory between calls, for tests.
#pragma once

#include <string>

#include "allocator/pinned/pinned_allocator.h"

namespace vramlab::allocator {

/// The first rule that the state breaks, as a sentence; empty where all hold.
std::string find_broken_host_rule(const PinnedAllocator& allocator);

}  // namespace vramlab::allocator
