#include "allocator/words/allocator_event.h"

#include <array>

namespace vramlab::allocator {

std::string_view action_name(Action action) {
  static constexpr std::array<std::string_view, 9> names = {
      "alloc",         "free_requested", "free_completed",
      "segment_alloc", "segment_free",   "segment_map",
      "segment_unmap", "snapshot",       "oom"};
  return names.at(static_cast<std::size_t>(action));
}

}  // namespace vramlab::allocator
