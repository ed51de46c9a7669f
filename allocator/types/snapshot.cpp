#include "allocator/types/snapshot.h"

#include <array>

namespace vramlab::allocator {

std::string_view block_state_name(BlockState state) {
  static constexpr std::array<std::string_view, 3> names = {"active_allocated",
                                                            "active_pending_free", "inactive"};
  return names.at(static_cast<std::size_t>(state));
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
