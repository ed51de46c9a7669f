#include "allocator/words/snapshot.h"

#include "allocator/words/check.h"

namespace vramlab::allocator {

std::string_view block_state_name(BlockState state) {
  switch (state) {
    case BlockState::active_allocated:
      return "active_allocated";
    case BlockState::active_pending_free:
      return "active_pending_free";
    case BlockState::inactive:
      return "inactive";
  }
  check_failed("a block state is one of the three", __FILE__, __LINE__);
}

std::string_view pool_kind_name(PoolKind kind) {
  return kind == PoolKind::small ? "small" : "large";
}

}  // namespace vramlab::allocator
