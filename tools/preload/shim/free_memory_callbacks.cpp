#include "tools/preload/shim/free_memory_callbacks.h"

namespace vramlab::shim {
namespace {

constinit thread_local bool is_asking = false;

}  // namespace

void FreeMemoryCallbacks::add(CUdevice device, std::function<bool()> callback) {
  const std::lock_guard lock(mutex_);
  callbacks_.emplace_back(device, std::move(callback));
}

bool FreeMemoryCallbacks::ask(CUdevice device) const {
  if (is_asking) return false;
  std::vector<std::function<bool()>> to_ask;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [of, callback] : callbacks_)
      if (of == device) to_ask.push_back(callback);
  }
  is_asking = true;
  bool has_freed = false;
  for (const auto& callback : to_ask) has_freed = callback() || has_freed;
  is_asking = false;
  return has_freed;
}

}  // namespace vramlab::shim
