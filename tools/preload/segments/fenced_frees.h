// FencedFrees: the blocks that the program gave back and the cache does not know of yet, because
// their fence is being recorded, was put off by a capture, or has to wait until a request that ran
// out of memory is through. Requires the arena's lock everywhere.
#pragma once

#include <unordered_set>
#include <vector>

#include "tools/preload/segments/fence.h"

namespace vramlab::shim {

class FencedFrees {
 public:
  explicit FencedFrees(ContextRecord& home) : pool_(home) {}

  /// A free begins: the address counts as free from now on.
  Fence& begin(Address at) {
    Fence& fence = pool_.take();
    fence.block = at;
    on_their_way_.push_back(&fence);
    return fence;
  }
  /// A fence for those that have none yet. Requires: there are some.
  Fence& begin_put_off();
  bool contains(Address at) const {
    return !(on_their_way_.empty() && staying_.empty()) && is_among(at);
  }
  /// Those whose recording is over move on; the ones with a fence are handed to `hand_in`.
  template <class HandIn>
  void settle(const HandIn& hand_in);

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
  void for_each(const Look& look) const;
  FencePool& pool() { return pool_; }

 private:
  bool is_among(Address at) const;
  template <class HandIn>
  void hand_in_held(const HandIn& hand_in);
  /// Not handed in: it stays here.
  void keep(Fence& fence, FenceState state);

  FencePool pool_;
  /// By the order in which the frees began; as many as there are threads in a free.
  std::vector<Fence*> on_their_way_;
  /// The fences of frees that stay longer.
  std::vector<Fence*> held_;
  std::unordered_set<std::uint64_t> staying_;
  std::vector<Address> put_off_;
  bool is_held_back_ = false;
};

template <class HandIn>
void FencedFrees::settle(const HandIn& hand_in) {
  if (!held_.empty() && !is_held_back_) [[unlikely]]
    hand_in_held(hand_in);
  auto kept = on_their_way_.begin();
  for (auto next = kept; next != on_their_way_.end(); ++next) {
    Fence& fence = **next;
    const FenceState state = fence.state.load(std::memory_order_acquire);
    if (state == FenceState::recorded && !is_held_back_) [[likely]]
      hand_in(fence);
    else if (state == FenceState::being_recorded)
      *kept++ = &fence;
    else
      keep(fence, state);
  }
  on_their_way_.erase(kept, on_their_way_.end());
}

template <class HandIn>
void FencedFrees::hand_in_held(const HandIn& hand_in) {
  const std::vector<Fence*> held = std::move(held_);
  held_.clear();
  for (Fence* fence : held) {
    fence->for_each_block([this](Address at) { staying_.erase(at.value); });
    hand_in(*fence);
  }
}

template <class Look>
void FencedFrees::for_each(const Look& look) const {
  for (const Fence* fence : on_their_way_) fence->for_each_block(look);
  for (const std::uint64_t at : staying_) look(Address{at});
}

}  // namespace vramlab::shim
