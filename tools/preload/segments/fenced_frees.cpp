#include "tools/preload/segments/fenced_frees.h"

#include <algorithm>

namespace vramlab::shim {

std::uint64_t FencedFrees::number_of_this_thread() {
  constinit static std::atomic<std::uint64_t> last = 0;
  constinit thread_local std::uint64_t number = 0;
  if (number == 0) number = ++last;
  return number;
}

bool FencedFrees::is_among(Address at) const {
  return std::any_of(on_their_way_.begin(), on_their_way_.end(),
                     [at](const Fence* fence) { return fence->block == at; }) ||
         held_addresses_.contains(at.value);
}

Fence* FencedFrees::oldest_of_this_thread() const {
  Fence* oldest = nullptr;
  pool_.for_each_recorded([&](Fence& fence) {
    if (fence.order == 0 || fence.is_over() || fence.recorded_by != number_of_this_thread()) return;
    if (oldest == nullptr || fence.order < oldest->order) oldest = &fence;
  });
  return oldest;
}

void FencedFrees::put_off(Fence& fence) {
  if (gathering_ == nullptr) {
    fence.state.store(FenceState::open, std::memory_order_relaxed);
    gathering_ = &fence;
    return;
  }
  for (ContextRecord* peer : fence.peers) gathering_->add_peer(peer);
  fence.behind = gathering_;
  ++gathering_->uses;
}

void FencedFrees::put_off_doubtful() {
  std::vector<Fence*> doubtful;
  pool_.for_each_put_off([&](Fence& fence) { doubtful.push_back(&fence); });
  for (Fence* fence : doubtful)
    if (std::find(recording_.begin(), recording_.end(), fence) == recording_.end()) put_off(*fence);
}

bool FencedFrees::is_recording() const {
  return !recording_.empty() ||
         std::any_of(on_their_way_.begin(), on_their_way_.end(), [](const Fence* fence) {
           return fence->state.load(std::memory_order_acquire) == FenceState::open;
         });
}

}  // namespace vramlab::shim
