// Contexts: the contexts of each device, and the current one of each thread; and the handles by
// which programs name the driver's objects.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "streams/cuda_interface/types.h"

namespace vramlab::dry_run {

class HandleBook {
 public:
  /// Small numbers are handles with a meaning of their own (the default streams).
  explicit HandleBook(std::uint64_t first) : next_(first) {}

  std::uint64_t take() {
    if (free_.empty()) return next_ += 16;
    const std::uint64_t handle = free_.back();
    free_.pop_back();
    return handle;
  }
  void give_back(std::uint64_t handle) { free_.push_back(handle); }

 private:
  std::uint64_t next_;
  std::vector<std::uint64_t> free_;
};

template <class Handle>
Handle handle_of(std::uint64_t value) {
  return reinterpret_cast<Handle>(static_cast<std::uintptr_t>(value));
}
template <class Handle>
std::uint64_t value_of(Handle handle) {
  return reinterpret_cast<std::uintptr_t>(handle);
}

// Contexts: all of them, and the current one of each thread.
//
// A context has a number and an id that are never used again, and a handle that is: the primary
// context of a device has the same handle in each of its lives, and a created one may get that of
// one destroyed.

struct Context {
  /// Memory and streams carry it. A green context has the number of its primary one.
  std::uint32_t number = 0;
  std::uint64_t id = 0;
  std::uint32_t device = 0;
  std::uint64_t handle = 0;
  unsigned flags = 0;
  bool is_primary = false;
  bool is_green = false;
  /// Set by a fault that nothing after it survives.
  CUresult sticky = CUDA_SUCCESS;
  /// Handles of contexts whose memory this one may use.
  std::set<std::uint64_t> peers;
  /// The limits that were set, by CUlimit.
  std::map<unsigned, std::uint64_t> limits = {};
};

class Contexts {
 public:
  explicit Contexts(std::uint32_t device_count);

  /// The live context with this handle, or null.
  Context* find(CUcontext handle);
  Context* find_number(std::uint32_t number);
  const std::map<std::uint64_t, Context>& all() const { return live_; }

  /// Made where it is not alive.
  Context& retain_primary(std::uint32_t device);
  /// Says whether the last holder is gone. Requires: it is held.
  bool release_primary(std::uint32_t device);
  /// Null if it is not alive.
  Context* primary(std::uint32_t device);
  std::uint32_t primary_users(std::uint32_t device) const { return primaries_.at(device).users; }
  unsigned& primary_flags(std::uint32_t device) { return primaries_.at(device).flags; }

  Context& create(std::uint32_t device, unsigned flags);
  /// Requires: the device's primary context is alive.
  Context& create_green(std::uint32_t device, unsigned flags);
  /// Only a name of the primary context goes. Requires: it is a green context.
  void remove_green(const Context& context);
  /// It is gone with all that are a part of it; threads may still have it as their current one.
  void remove(const Context& context);

  // Each thread has its own stack of contexts.
  CUcontext current(std::uint32_t thread) const;
  void set_current(std::uint32_t thread, CUcontext context);
  void push(std::uint32_t thread, CUcontext context) { stacks_[thread].push_back(context); }
  /// False where there is none.
  bool pop(std::uint32_t thread);

 private:
  struct Primary {
    std::uint64_t handle = 0;
    std::uint32_t users = 0;
    unsigned flags = 0;
  };

  HandleBook handles_{0x60000000};
  std::vector<Primary> primaries_;
  std::map<std::uint64_t, Context> live_;
  std::map<std::uint32_t, std::vector<CUcontext>> stacks_;
  std::uint32_t next_number_ = 1;
  std::uint64_t next_id_ = 1;
};

}  // namespace vramlab::dry_run
