#include "tools/preload/shim/fenced_frees.h"

#include <algorithm>

namespace vramlab::shim {

using allocator::Address;

Fence& FencedFrees::begin(Address at) {
  Fence& fence = pool_.take();
  fence.blocks.push_back(at);
  on_their_way_.push_back(&fence);
  return fence;
}

Fence& FencedFrees::begin_put_off() {
  Fence& fence = pool_.take();
  put_behind(fence);
  on_their_way_.push_back(&fence);
  return fence;
}

bool FencedFrees::contains(Address at) const {
  for (const Fence* fence : on_their_way_)
    if (std::find(fence->blocks.begin(), fence->blocks.end(), at) != fence->blocks.end())
      return true;
  return !staying_.empty() && staying_.contains(at.value);
}

bool FencedFrees::is_recording() const {
  return std::any_of(on_their_way_.begin(), on_their_way_.end(), [](const Fence* fence) {
    return fence->state.load(std::memory_order_acquire) == FenceState::being_recorded;
  });
}

void FencedFrees::put_behind(Fence& fence) {
  for (const Address at : put_off_) staying_.erase(at.value);
  fence.blocks.insert(fence.blocks.end(), put_off_.begin(), put_off_.end());
  put_off_.clear();
}

void FencedFrees::put_off(Fence& fence) {
  put_off_.insert(put_off_.end(), fence.blocks.begin(), fence.blocks.end());
  pool_.give(fence);
}

}  // namespace vramlab::shim
