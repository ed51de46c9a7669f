// Fence: what must be over before freed blocks may be used again, as events that were recorded when
// they were freed. A fence is written by the call that frees, outside of the arena's lock, and read
// under the lock once that call has said how it went.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "allocator/ids.h"
#include "tools/preload/shim/context_record.h"

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

struct Fence {
  std::vector<allocator::Address> blocks;
  std::atomic<FenceState> state = FenceState::being_recorded;
  /// The arena's context, and an event of it, so that the usual fence needs no other.
  ContextRecord* home = nullptr;
  CUevent own = nullptr;
  /// What is still awaited; none: all is over.
  std::vector<ContextEvent> awaited;
  /// Other contexts that may use the memory.
  std::vector<ContextRecord*> peers;
  /// Blocks that the engine still waits with.
  std::size_t uses = 0;
};

enum class Progress { complete, under_way, unknown };

/// Requires the lock of the fence's arena. What captures forbid to ask about is under way.
Progress poll(Fence& fence);

/// The fences of one arena, used again and again. Requires its lock.
class FencePool {
 public:
  explicit FencePool(ContextRecord& home) : home_(home) {}

  Fence& take();
  void give(Fence& fence);
  /// The events of all fences that something waits for.
  std::vector<ContextEvent> awaited() const;

 private:
  ContextRecord& home_;
  std::vector<std::unique_ptr<Fence>> all_;
  std::vector<Fence*> unused_;
};

}  // namespace vramlab::shim
