// FencedFrees: what the program gave back, up to where its fence is recorded. Most frees join the
// fence that gathers them and are the cache's at once. The others are kept here for a while: those
// with a fence of their own, and those that come while a request that ran out of memory is under
// way. Requires the arena's lock everywhere.
#pragma once

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "tools/preload/segments/fence.h"

namespace vramlab::shim {

class FencedFrees {
 public:
  explicit FencedFrees(ContextRecord& home) : pool_(home) {}

  /// A free with a fence of its own begins: the address counts as free from now on.
  Fence& begin(Address at, std::uint32_t stack) {
    Fence& fence = pool_.take();
    fence.block = at;
    fence.stack = stack;
    on_their_way_.push_back(&fence);
    return fence;
  }
  /// Kept here until let_go(). Requires: is_held_back().
  void hold(Address at, std::uint32_t stack) {
    held_.push_back({at, stack});
    held_addresses_.insert(at.value);
  }
  bool contains(Address at) const {
    return !(on_their_way_.empty() && held_.empty()) && is_among(at);
  }
  /// Those whose fence came back move on: `hand_in(address, fence)` where it is recorded,
  /// `gather(address, stack)` where it was put off or they were held.
  template <class HandIn, class Gather>
  void settle(const HandIn& hand_in, const Gather& gather) {
    if (!(on_their_way_.empty() && held_.empty()) && !is_held_back_) move_on(hand_in, gather);
  }

  /// The fence of all that is freed from now on, until it is closed.
  Fence& gathering() {
    if (gathering_ == nullptr) gathering_ = &pool_.take();
    return *gathering_;
  }
  bool has_gathered() const { return gathering_ != nullptr; }
  /// Its recording begins. Requires: has_gathered().
  Fence& close() {
    Fence& fence = *gathering_;
    gathering_ = nullptr;
    // A free may have tried to record it before.
    fence.order = 0;
    // It may be over, and be used again, before the call that records it is back.
    ++fence.uses;
    recording_.push_back(&fence);
    return fence;
  }
  /// Its recording is over. What was put off is recorded again with what was freed meanwhile.
  void end_recording(Fence& fence) {
    recording_.erase(std::find(recording_.begin(), recording_.end(), &fence));
    const FenceState state = fence.state.load(std::memory_order_acquire);
    needs_wait_ = state == FenceState::needs_wait;
    if (state != FenceState::recorded) [[unlikely]]
      put_off(fence);
    pool_.release(fence);
  }
  /// The same for fences that turned out to be of no use.
  void put_off_doubtful();
  /// The oldest fence that a free of the calling thread recorded and that something waits for; null
  /// without one. To wait for it is to wait for what the driver's own free would have waited for.
  Fence* oldest_of_this_thread() const;
  /// A free of the calling thread records this fence. Requires: it is closed.
  void note_free_of_this_thread(Fence& fence) {
    fence.recorded_by = number_of_this_thread();
    fence.order = ++last_order_;
  }

  /// The driver takes no event: a free has to wait.
  bool needs_wait() const { return needs_wait_; }

  /// Some fence is being recorded right now.
  bool is_recording() const;
  bool is_recording_gathered() const { return !recording_.empty(); }

  /// While it is held back nothing is handed in.
  void hold_back() { is_held_back_ = true; }
  void let_go() { is_held_back_ = false; }
  bool is_held_back() const { return is_held_back_; }

  /// All that the program gave back and the cache counts as in use.
  template <class Look>
  void for_each(const Look& look) const;
  FencePool& pool() { return pool_; }

 private:
  /// Unlike its handle, no later thread's.
  static std::uint64_t number_of_this_thread();
  template <class HandIn, class Gather>
  void move_on(const HandIn& hand_in, const Gather& gather);
  struct Held {
    Address at;
    std::uint32_t stack;
  };
  bool is_among(Address at) const;
  void put_off(Fence& fence);

  FencePool pool_;
  /// By the order in which the frees began; as many as there are threads in a free.
  std::vector<Fence*> on_their_way_;
  std::vector<Held> held_;
  std::unordered_set<std::uint64_t> held_addresses_;
  Fence* gathering_ = nullptr;
  /// Closed, and in the hands of a call.
  std::vector<Fence*> recording_;
  std::uint64_t last_order_ = 0;
  bool needs_wait_ = false;
  bool is_held_back_ = false;
};

template <class HandIn, class Gather>
void FencedFrees::move_on(const HandIn& hand_in, const Gather& gather) {
  if (!held_.empty()) [[unlikely]] {
    const std::vector<Held> held = std::move(held_);
    held_.clear();
    held_addresses_.clear();
    for (const auto& [at, stack] : held) gather(at, stack);
  }
  auto kept = on_their_way_.begin();
  for (auto next = kept; next != on_their_way_.end(); ++next) {
    Fence& fence = **next;
    const FenceState state = fence.state.load(std::memory_order_acquire);
    if (state == FenceState::recorded) {
      hand_in(fence.block, fence);
    } else if (state == FenceState::open) {
      *kept++ = &fence;
    } else {
      for (ContextRecord* peer : fence.peers) gathering().add_peer(peer);
      gather(fence.block, fence.stack);
      pool_.give(fence);
    }
  }
  on_their_way_.erase(kept, on_their_way_.end());
}

template <class Look>
void FencedFrees::for_each(const Look& look) const {
  for (const Fence* fence : on_their_way_) look(fence->block);
  for (const Held& held : held_) look(held.at);
}

}  // namespace vramlab::shim
