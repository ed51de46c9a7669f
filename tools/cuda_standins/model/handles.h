// Handles: what stands for the driver's objects outside. A handle that was given back is the next
// one taken, as real ones are: whoever keeps a handle of something gone has another's.
#pragma once

#include <cstdint>
#include <vector>

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

}  // namespace vramlab::dry_run
