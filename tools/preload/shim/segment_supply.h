// SegmentSupply: the driver's memory that an arena's cache is made of. Whoever asks holds the
// arena's lock; the driver is called without it. The first time the driver has no more, everything
// that is freed but still awaited is waited for, so that what the cache does next need not wait.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "allocator/device.h"
#include "tools/preload/shim/arena_lock.h"
#include "tools/preload/shim/fenced_frees.h"

namespace vramlab::shim {

class SegmentSupply {
 public:
  SegmentSupply(ArenaLock& lock, ContextRecord& context, FencedFrees& frees)
      : lock_(lock), context_(context), frees_(frees) {}

  // Requires the lock, in a call that began.
  /// Nothing where the driver has no room; throws DeviceError where it has another answer.
  std::optional<allocator::Address> allocate(allocator::Bytes size);
  /// Given back to the driver later: with the next segment that is asked for, or by flush().
  void release(allocator::Address at);
  /// Ends what began with the first refusal. Requires the lock.
  void end_ladder(Call& call);
  /// As the driver said when it refused last.
  allocator::MemoryInfo info() const { return {free_at_refusal_, total_}; }
  void set_total(allocator::Bytes total) { total_ = total; }

  /// Also of a segment that is about to be given back. Requires the lock.
  bool owns(allocator::Address at) const;
  allocator::Bytes pending_release() const { return pending_release_; }
  bool has_pending() const { return !to_release_.empty(); }
  /// The segment that the address lies in. Requires: there is one.
  allocator::Address segment_of(allocator::Address at) const {
    return std::prev(segments_.upper_bound(at))->first;
  }
  /// False: surely not ours. Requires nothing.
  bool may_own(allocator::Address at) const {
    return at.value >= lowest_.load(std::memory_order_acquire) &&
           at.value < highest_.load(std::memory_order_acquire);
  }
  /// Gives back what is to be given back. Requires: the lock is not held.
  void flush();

  /// How the ladder gets the arena's newest frees into the cache first. Requires the lock.
  void set_hand_in(void (*hand_in)(void*), void* of) {
    hand_in_ = hand_in;
    hand_in_of_ = of;
  }

 private:
  void note(allocator::Address at, allocator::Bytes size);
  void climb(Call& call);
  void wait_for(const std::vector<ContextEvent>& events);

  ArenaLock& lock_;
  ContextRecord& context_;
  FencedFrees& frees_;
  void (*hand_in_)(void*) = nullptr;
  void* hand_in_of_ = nullptr;

  struct Range {
    allocator::Address at;
    allocator::Bytes size;
  };
  std::map<allocator::Address, allocator::Bytes> segments_;
  std::vector<Range> to_release_;
  /// In the driver's hands; a new segment may come back at the same place.
  std::vector<Range> being_released_;
  allocator::Bytes pending_release_;
  allocator::Bytes total_;
  allocator::Bytes free_at_refusal_;
  std::atomic<std::uint64_t> lowest_ = ~0ULL;
  std::atomic<std::uint64_t> highest_ = 0;
  /// One thread gives back at a time: whoever is refused memory does not miss what another one is
  /// just giving back.
  std::mutex flush_mutex_;
  std::mutex ladder_mutex_;
};

}  // namespace vramlab::shim
