// PoolTraits: what a user pool was registered for when it was made.
#pragma once

namespace vramlab::allocator {

struct PoolTraits {
  /// Lends its free blocks to requests of the default pools that would run out of memory.
  bool use_on_oom = false;
  /// Blocks of this pool are never split.
  bool no_split = false;
};

}  // namespace vramlab::allocator
