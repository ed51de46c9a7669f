// The arena's part of fences: which blocks are behind which, when they are recorded, and how much
// may wait for them.
#include <algorithm>
#include <ctime>

#include "tools/preload/shim/arena.h"

namespace vramlab::shim {

void Arena::settle() {
  frees_.settle([this](Address at, Fence& fence) { hand_in(at, fence); },
                [this](Address at, StackNumber stack) {
                  go_on_with(stack);
                  gather(at);
                });
}

void Arena::hand_in(Address at, Fence& fence) {
  go_on_with(fence.stack);
  if (fence.is_over()) {
    cache_->free_now(at);
    frees_.pool().give(fence);
    return;
  }
  ++fence.uses;
  cache_->free(at, fence);
}

void Arena::gather(Address at) {
  Fence& fence = frees_.gathering();
  ++fence.uses;
  cache_->free(at, fence);
}

bool Arena::has_to_fence() {
  if (context_.has_new_doubt() && context_.take_new_doubt()) [[unlikely]]
    frees_.put_off_doubtful();
  return frees_.has_gathered();
}

void Arena::fence_gathered(FencedBy by) {
  const MayWait may_wait = by == FencedBy::request ? MayWait::no : MayWait::yes;
  Fence& fence = frees_.close();
  if (!peers_.empty() || !fence.peers.empty()) note_peers(fence);
  if (by == FencedBy::free) {
    frees_.note_free_of_this_thread(fence);
    freed_since_fence_ = Bytes{0};
  }
  lock_.step_outside([&] { recorder_.record(fence, context_, may_wait); });
  frees_.end_recording(fence);
}

void Arena::fence_all() {
  constexpr timespec a_moment{0, 20000};
  settle();
  frees_.hold_back();
  if (has_to_fence() && may_fence()) fence_gathered(FencedBy::refused_request);
  // Other calls may be recording what the cache has already.
  while (frees_.is_recording_gathered()) lock_.step_outside([&] { nanosleep(&a_moment, nullptr); });
}

Bytes Arena::waiting_limit(const WaitingBytes& waiting) const {
  constexpr Bytes least{256ULL << 20};
  if (options_.waiting_limit) return *options_.waiting_limit;
  return std::max(least, Bytes{waiting.peak_in_use.count / 4});
}

bool Arena::is_far_ahead(Bytes freed) {
  freed_since_fence_ += freed;
  const WaitingBytes waiting = cache_->waiting();
  const Bytes half{waiting_limit(waiting).count / 2};
  return (waiting.now > half && freed_since_fence_ > half) || frees_.needs_wait();
}

bool Arena::gather_free(Address at, StackNumber stack) {
  go_on_with(stack);
  const Bytes waiting = cache_->waiting().now;
  gather(at);
  if (is_far_ahead(cache_->waiting().now - waiting) && may_fence()) fence_gathered(FencedBy::free);
  return has_run_ahead_ && frees_have_to_wait();
}

bool Arena::frees_have_to_wait() {
  if (context_.is_gone() || !may_fence()) return false;
  const WaitingBytes waiting = cache_->waiting();
  return waiting.now > waiting_limit(waiting) && frees_.oldest_of_this_thread() != nullptr;
}

void Arena::wait_in_free() {
  // The thread may have another context, or none, and an event is asked about here.
  const CurrentContext current(context_);
  if (current.result() != CUDA_SUCCESS) return;
  const std::lock_guard lock(lock_);
  if (frees_.oldest_of_this_thread() != nullptr) wait_for_oldest_free();
}

bool Arena::waits_first(Bytes request) {
  const WaitingBytes waiting = cache_->waiting();
  if (waiting.now <= waiting_limit(waiting) || !may_fence() || !cache_->has_waiting_for(request))
    return false;
  if (frees_.oldest_of_this_thread() != nullptr) return true;
  has_run_ahead_ = true;
  return false;
}

bool Arena::wait_for_oldest_free() {
  Fence& fence = *frees_.oldest_of_this_thread();
  ++fence.uses;
  std::vector<ContextEvent> events;
  add_awaited(fence, events);
  lock_.step_outside([&] { supply_.wait_for(events); });
  const bool is_over = poll(fence) == Progress::complete;
  frees_.pool().release(fence);
  return is_over;
}

void Arena::note_peers(Fence& fence) {
  const auto is_gone = [](const ContextRecord* peer) { return peer->is_gone(); };
  std::erase_if(peers_, is_gone);
  std::erase_if(fence.peers, is_gone);
  for (ContextRecord* peer : peers_) fence.add_peer(peer);
}

}  // namespace vramlab::shim
