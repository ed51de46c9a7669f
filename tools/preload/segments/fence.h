// Fences: the work that must be complete before freed blocks may be used again, and the frees that
// wait for it. One fence gathers all frees until its events are recorded, which happens when the
// next request wants memory: a later event covers all earlier frees. A fence is written by the call
// that records it, outside of the arena's lock, and read under the lock once that call has said how
// it went.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <unordered_set>
#include <vector>

#include "allocator/types/bytes_and_ids.h"
#include "tools/preload/segments/context_record.h"

namespace vramlab::shim {

enum class FenceState : int {
  /// It gathers frees, or the call that records it has not come back yet.
  open,
  recorded,
  /// A capture is open, or the driver refused: it is recorded with a later call.
  put_off,
  /// As put_off, and nothing but waiting for the context would do.
  needs_wait,
};

/// Says whether the call that records a fence may wait for work instead. A free may, as the
/// driver's own does. A request may not: the work may wait for what the program does after it.
enum class MayWait : bool { no, yes };

/// The usual fence is one event of the arena's own context; other events are kept apart, so that
/// the usual one costs no look at them.
struct Fence {
  /// The block of a free that has a fence of its own, and the stack of that free.
  Address block;
  std::uint32_t stack = 0;
  std::atomic<FenceState> state = FenceState::open;
  MayWait may_wait = MayWait::no;
  /// The number of blocks that wait for it, and of other users.
  std::size_t uses = 0;
  /// The arena's context, and the event of it that this fence keeps.
  ContextRecord* home = nullptr;
  CUevent own = nullptr;
  /// `own` was recorded and is not known to be over.
  bool awaits_own = false;
  /// `awaited` was not looked at since it was recorded.
  bool is_fresh = false;
  /// The number of the thread in whose free it was recorded, and its place among such fences; order
  /// 0 if it was recorded otherwise.
  std::uint64_t recorded_by = 0;
  std::uint64_t order = 0;
  /// Set if this fence could not be recorded: it is complete when that one is.
  Fence* behind = nullptr;
  /// Further events that are still awaited.
  std::vector<ContextEvent> awaited;
  /// Other contexts that may use the memory.
  std::vector<ContextRecord*> peers;

  void add_peer(ContextRecord* peer) {
    if (peer != home && std::find(peers.begin(), peers.end(), peer) == peers.end())
      peers.push_back(peer);
  }
  bool is_over() const { return !awaits_own && awaited.empty(); }
};

enum class Progress { complete, under_way };

/// An event that cannot be asked about leaves the fence put off: it is recorded again.
Progress poll_own(Fence& fence);
Progress poll_others(Fence& fence);
Progress poll_behind(const Fence& fence);

/// Requires the lock of the fence's arena. Work that captures forbid to ask about counts as under
/// way.
inline Progress poll(Fence& fence) {
  if (fence.state.load(std::memory_order_acquire) != FenceState::recorded) [[unlikely]]
    return poll_behind(fence);
  if (fence.awaits_own && poll_own(fence) != Progress::complete) return Progress::under_way;
  return fence.awaited.empty() ? Progress::complete : poll_others(fence);
}

/// The fences of one arena, used again and again. Requires its lock.
class FencePool {
 public:
  explicit FencePool(ContextRecord& home) : home_(home) {}

  Fence& take() {
    if (unused_.empty()) return make();
    Fence& fence = *unused_.back();
    unused_.pop_back();
    return fence;
  }
  /// Ends one use; a fence without uses is used again.
  void release(Fence& fence) {
    if (--fence.uses == 0) give(fence);
  }
  void give(Fence& fence) {
    if (fence.behind != nullptr || !fence.is_over() || !fence.peers.empty()) [[unlikely]]
      return empty(fence);
    fence.order = 0;
    fence.state.store(FenceState::open, std::memory_order_relaxed);
    unused_.push_back(&fence);
  }
  /// The events of all fences that something waits for.
  std::vector<ContextEvent> awaited() const;
  /// The fences that something waits for although they are neither recorded nor behind another one.
  template <class Look>
  void for_each_put_off(const Look& look);
  /// The fences that something waits for.
  template <class Look>
  void for_each_recorded(const Look& look) const;
  /// The events that fences have and no context keeps, of contexts that are still alive.
  std::size_t event_count() const;
  /// The arena's context is gone: events of others that fences await go back to these.
  void give_back_others();

 private:
  Fence& make();
  void empty(Fence& fence);

  ContextRecord& home_;
  std::vector<std::unique_ptr<Fence>> all_;
  std::vector<Fence*> unused_;
};

template <class Look>
void FencePool::for_each_put_off(const Look& look) {
  for (const std::unique_ptr<Fence>& fence : all_)
    if (fence->uses > 0 && fence->behind == nullptr &&
        fence->state.load(std::memory_order_acquire) == FenceState::put_off)
      look(*fence);
}

template <class Look>
void FencePool::for_each_recorded(const Look& look) const {
  for (const std::unique_ptr<Fence>& fence : all_)
    if (fence->uses > 0 && fence->state.load(std::memory_order_acquire) == FenceState::recorded)
      look(*fence);
}

/// Adds the events that a fence still awaits, for a wait without the lock.
void add_awaited(const Fence& fence, std::vector<ContextEvent>& into);

// FenceRecorder: puts an event behind all work that could still use a block, in the block's context
// and in every context with access to its memory. The three ways, from the best: an event of the
// whole context; an event on the legacy stream and on every stream that does not wait for it;
// waiting for the context. A driver that refuses one way gets the next.

enum class FenceKind {
  /// Chosen by the driver's functions.
  automatic,
  context_event,
  stream_events,
  wait,
};

/// The time at which a fence is recorded. At once: a free waits, or wants no later work covered.
enum class FenceTime { with_next_request, at_once };

class FenceRecorder {
 public:
  FenceRecorder() = default;
  FenceRecorder(const FenceRecorder&) = delete;
  FenceRecorder& operator=(const FenceRecorder&) = delete;
  virtual ~FenceRecorder() = default;

  FenceTime time() const { return time_.load(std::memory_order_relaxed); }
  void set_time(FenceTime time) { time_.store(time); }
  /// Sets the fence's state last: from then on others may have it.
  /// Requires: no lock is held, and no capture begins in the owner's context meanwhile.
  [[gnu::flatten]] FenceState record(Fence& fence, ContextRecord& owner, MayWait may_wait);
  /// Records one event on one stream of this context, for memory freed in a stream's order.
  FenceState record_on(CUstream stream, ContextRecord& context, Fence& fence);

 private:
  /// Requires: no capture is known to be open in the context. CUDA_ERROR_NOT_READY if only waiting
  /// would do and the fence's call may not wait.
  virtual CUresult record_in(ContextRecord& context, Fence& fence) = 0;
  CUresult record_everywhere(Fence& fence, ContextRecord& owner);

  std::atomic<FenceTime> time_ = FenceTime::with_next_request;
};

std::unique_ptr<FenceRecorder> make_fence_recorder(FenceKind kind,
                                                   const streams::CudaDriver& driver);

// FencedFrees: memory that the program gave back, until its fence is recorded. Most frees join the
// fence that gathers them and are the cache's at once. The others are kept here for a while: those
// with a fence of their own, and those that come while a request that ran out of memory is under
// way. Requires the arena's lock everywhere.

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
  /// Frees whose fence came back move on: `hand_in(address, fence)` where it is recorded,
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
  /// Its recording is over. Frees that were put off are recorded again with those that came
  /// meanwhile.
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

  /// True if the driver takes no event: a free has to wait.
  bool needs_wait() const { return needs_wait_; }

  /// True while some fence is being recorded.
  bool is_recording() const;
  bool is_recording_gathered() const { return !recording_.empty(); }

  /// While frees are held back, none is handed in.
  void hold_back() { is_held_back_ = true; }
  void let_go() { is_held_back_ = false; }
  bool is_held_back() const { return is_held_back_; }

  /// Looks at all memory that the program gave back and the cache counts as in use.
  template <class Look>
  void for_each(const Look& look) const;
  FencePool& pool() { return pool_; }

 private:
  /// A number that, unlike the thread's handle, no later thread gets.
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
  /// The fences in the order in which their frees began; at most one for each thread.
  std::vector<Fence*> on_their_way_;
  std::vector<Held> held_;
  std::unordered_set<std::uint64_t> held_addresses_;
  Fence* gathering_ = nullptr;
  /// Closed fences in the hands of a call.
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
