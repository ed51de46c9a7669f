#include "allocator/words/snapshot.h"

#include <array>

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

std::string_view action_name(Action action) {
  static constexpr std::array<std::string_view, 9> names = {
      "alloc",         "free_requested", "free_completed",
      "segment_alloc", "segment_free",   "segment_map",
      "segment_unmap", "snapshot",       "oom"};
  return names.at(static_cast<std::size_t>(action));
}

}  // namespace vramlab::allocator
