// Fence: what must be over before freed blocks may be used again. One fence gathers all that is
// freed until its events are recorded, which happens when the next request wants memory: what is
// recorded later covers what was freed before. A fence is written by the call that records it,
// outside of the arena's lock, and read under the lock once that call has said how it went.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
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

/// Whether the call that records a fence may wait for work instead. A free may, as the driver's own
/// does. A request may not: the work may wait for what the program does after it.
enum class MayWait : bool { no, yes };

/// The usual fence is one event of the arena's own context; what else there may be is kept apart,
/// so that the usual one costs no look at it.
struct Fence {
  /// The block of a free that has a fence of its own, and the stack of that free.
  Address block;
  std::uint32_t stack = 0;
  std::atomic<FenceState> state = FenceState::open;
  MayWait may_wait = MayWait::no;
  /// Blocks that the cache still waits with, and others that need it.
  std::size_t uses = 0;
  /// The arena's context, and the event of it that this fence keeps.
  ContextRecord* home = nullptr;
  CUevent own = nullptr;
  /// `own` was recorded and is not known to be over.
  bool awaits_own = false;
  /// Nobody asked about `awaited` since it was recorded.
  bool is_fresh = false;
  /// The number of the thread in whose free it was recorded, and its place among such fences; order
  /// 0 if it was recorded otherwise.
  std::uint64_t recorded_by = 0;
  std::uint64_t order = 0;
  /// It could not be recorded: it is over when this one is.
  Fence* behind = nullptr;
  /// What else is still awaited.
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

/// Requires the lock of the fence's arena. What captures forbid to ask about is under way.
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
  /// One use less; without any it is used again.
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
  /// Those that something waits for although they are neither recorded nor behind another one.
  template <class Look>
  void for_each_put_off(const Look& look);
  /// Those that something waits for.
  template <class Look>
  void for_each_recorded(const Look& look) const;
  /// Events that a fence has and no context keeps, of contexts that are still there.
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

/// What a fence still awaits, for a wait without the lock.
void add_awaited(const Fence& fence, std::vector<ContextEvent>& into);

}  // namespace vramlab::shim
