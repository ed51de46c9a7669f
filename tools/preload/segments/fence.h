// Fence: what must be over before freed blocks may be used again, as events that were recorded when
// they were freed. A fence is written by the call that frees, outside of the arena's lock, and read
// under the lock once that call has said how it went.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "allocator/words/ids.h"
#include "tools/preload/segments/context_record.h"

namespace vramlab::shim {

enum class FenceState : int {
  /// The call that frees has not come back with it yet.
  being_recorded,
  recorded,
  /// A capture is open: it is recorded once none is.
  put_off,
  /// The driver refused it: what is behind it stays unused for ever.
  failed,
};

/// The usual fence is one event of the arena's own context behind one block; what else there may be
/// is kept apart, so that the usual one costs no look at it.
struct Fence {
  Address block;
  std::atomic<FenceState> state = FenceState::being_recorded;
  /// Blocks that the engine still waits with.
  std::size_t uses = 0;
  /// The arena's context, and the event of it that this fence keeps.
  ContextRecord* home = nullptr;
  CUevent own = nullptr;
  /// `own` was recorded and is not known to be over.
  bool awaits_own = false;

  std::vector<Address> more_blocks;
  /// What else is still awaited.
  std::vector<ContextEvent> awaited;
  /// Other contexts that may use the memory.
  std::vector<ContextRecord*> peers;

  bool is_over() const { return !awaits_own && awaited.empty(); }
  std::size_t block_count() const { return 1 + more_blocks.size(); }
  template <class Look>
  void for_each_block(const Look& look) const {
    look(block);
    for (const Address at : more_blocks) look(at);
  }
};

enum class Progress { complete, under_way, unknown };

Progress progress_of(ContextRecord& context, CUevent event);
Progress poll_others(Fence& fence);

/// Requires the lock of the fence's arena. What captures forbid to ask about is under way.
inline Progress poll(Fence& fence) {
  if (fence.awaits_own) {
    const Progress progress = progress_of(*fence.home, fence.own);
    if (progress != Progress::complete) return progress;
    fence.awaits_own = false;
  }
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
  void give(Fence& fence) {
    fence.awaits_own = false;
    if (!fence.awaited.empty() || !fence.peers.empty() || !fence.more_blocks.empty()) empty(fence);
    fence.state.store(FenceState::being_recorded, std::memory_order_relaxed);
    unused_.push_back(&fence);
  }
  /// The events of all fences that something waits for.
  std::vector<ContextEvent> awaited() const;

 private:
  Fence& make();
  static void empty(Fence& fence);

  ContextRecord& home_;
  std::vector<std::unique_ptr<Fence>> all_;
  std::vector<Fence*> unused_;
};

}  // namespace vramlab::shim
