#include "allocator/types/host_values.h"

namespace vramlab::allocator {

std::string_view host_system_action_name(HostSystemAction action) {
  static constexpr std::array<std::string_view, 8> names = {
      "host_alloc",    "host_alloc_failed",    "host_free",       "malloc",
      "host_register", "host_register_failed", "host_unregister", "free"};
  return names.at(static_cast<std::size_t>(action));
}

}  // namespace vramlab::allocator
