#include "tools/preload/segments/fenced_frees.h"

#include <algorithm>

namespace vramlab::shim {

Fence& FencedFrees::begin_put_off() {
  const Address first = put_off_.back();
  put_off_.pop_back();
  staying_.erase(first.value);
  Fence& fence = begin(first);
  put_behind(fence);
  return fence;
}

bool FencedFrees::is_among(Address at) const {
  const auto is_behind = [at](const Fence* fence) {
    const std::vector<Address>& more = fence->more_blocks;
    return fence->block == at || std::find(more.begin(), more.end(), at) != more.end();
  };
  return std::any_of(on_their_way_.begin(), on_their_way_.end(), is_behind) ||
         (!staying_.empty() && staying_.contains(at.value));
}

bool FencedFrees::is_recording() const {
  return std::any_of(on_their_way_.begin(), on_their_way_.end(), [](const Fence* fence) {
    return fence->state.load(std::memory_order_acquire) == FenceState::being_recorded;
  });
}

void FencedFrees::put_behind(Fence& fence) {
  for (const Address at : put_off_) staying_.erase(at.value);
  fence.more_blocks.insert(fence.more_blocks.end(), put_off_.begin(), put_off_.end());
  put_off_.clear();
}

void FencedFrees::keep(Fence& fence, FenceState state) {
  fence.for_each_block([this](Address at) { staying_.insert(at.value); });
  if (state == FenceState::recorded) held_.push_back(&fence);
  if (state != FenceState::put_off) return;
  fence.for_each_block([this](Address at) { put_off_.push_back(at); });
  pool_.give(fence);
}

}  // namespace vramlab::shim
