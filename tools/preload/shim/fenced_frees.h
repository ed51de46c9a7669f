// FencedFrees: the blocks that the program gave back and the cache does not know of yet, because
// their fence is being recorded, was put off by a capture, or has to wait until a request that ran
// out of memory is through. Requires the arena's lock everywhere.
#pragma once

#include <unordered_set>
#include <vector>

#include "tools/preload/shim/fence.h"

namespace vramlab::shim {

class FencedFrees {
 public:
  explicit FencedFrees(ContextRecord& home) : pool_(home) {}

  /// A free begins: the address counts as free from now on.
  Fence& begin(allocator::Address at);
  /// A fence for those that have none yet.
  Fence& begin_put_off();
  bool contains(allocator::Address at) const;
  /// Those whose recording is over move on; the ones with a fence are handed to `hand_in`.
  template <class HandIn>
  void settle(HandIn hand_in);

  /// Some fence is being recorded right now.
  bool is_recording() const;

  /// While it is held back nothing is handed in.
  void hold_back() { is_held_back_ = true; }
  void let_go() { is_held_back_ = false; }

  bool is_held_back() const { return is_held_back_; }
  bool has_put_off() const { return !put_off_.empty(); }
  /// The blocks without a fence go with this one.
  void put_behind(Fence& fence);

  /// All that the program gave back and the cache counts as in use.
  template <class Look>
  void for_each(Look look) const;
  FencePool& pool() { return pool_; }

 private:
  void put_off(Fence& fence);

  FencePool pool_;
  /// By the order in which the frees began; as many as there are threads in a free.
  std::vector<Fence*> on_their_way_;
  /// Of those that stay here longer.
  std::vector<Fence*> held_;
  std::unordered_set<std::uint64_t> staying_;
  std::vector<allocator::Address> put_off_;
  bool is_held_back_ = false;
};

template <class HandIn>
void FencedFrees::settle(HandIn hand_in) {
  if (on_their_way_.empty() && held_.empty()) return;
  if (!is_held_back_ && !held_.empty()) {
    std::vector<Fence*> held = std::move(held_);
    held_.clear();
    for (Fence* fence : held) {
      for (const allocator::Address at : fence->blocks) staying_.erase(at.value);
      hand_in(*fence);
    }
  }
  std::size_t kept = 0;
  for (Fence* fence : on_their_way_) {
    const FenceState state = fence->state.load(std::memory_order_acquire);
    if (state == FenceState::being_recorded) {
      on_their_way_[kept++] = fence;
    } else if (state == FenceState::recorded && !is_held_back_) {
      hand_in(*fence);
    } else {
      for (const allocator::Address at : fence->blocks) staying_.insert(at.value);
      if (state == FenceState::recorded) held_.push_back(fence);
      if (state == FenceState::put_off) put_off(*fence);
    }
  }
  on_their_way_.resize(kept);
}

template <class Look>
void FencedFrees::for_each(Look look) const {
  for (const Fence* fence : on_their_way_)
    for (const allocator::Address at : fence->blocks) look(at);
  for (const std::uint64_t at : staying_) look(allocator::Address{at});
}

}  // namespace vramlab::shim
