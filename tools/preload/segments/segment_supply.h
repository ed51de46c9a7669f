// SegmentSupply: the driver's memory that an arena's cache is made of. The caller holds the arena's
// lock; the driver is called without it. When the driver first has no more memory, all frees are
// waited for, so that the cache's next steps need not wait.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "allocator/types/device.h"
#include "tools/preload/segments/expandable_memory.h"
#include "tools/preload/segments/fence.h"

namespace vramlab::shim {

/// Thrown in place of asking the driver for memory: the request is made again once some freed
/// memory is no longer used.
class WaitFirst : public DeviceError {
 public:
  WaitFirst() : DeviceError("freed memory is waited for first") {}
};

/// One request on its way through the arena.
struct Call {
  Bytes request;
  /// The call may be answered with WaitFirst.
  bool may_wait_first = true;
  /// The program's callbacks are asked once for a request.
  bool has_asked_program = false;
  /// The driver's last answer to a request for memory.
  CUresult refusal = CUDA_SUCCESS;
  /// Held from the first refusal on: one request at a time frees what is cached to go on.
  std::unique_lock<std::mutex> ladder;
  /// The driver may be asked for exactly the program's request alone.
  bool is_for_driver = false;
  /// The driver is not asked at all: it has no room, and nothing may be waited for.
  bool is_for_cache = false;
};

/// The one lock of an arena, and the way to step outside of it in the middle of a request to call
/// the driver. A thread that comes back finds its call as it left it.
class ArenaLock {
 public:
  void lock() {
    note_held(+1);
    mutex_.lock();
  }
  void unlock() {
    mutex_.unlock();
    note_held(-1);
  }
  /// For the handler of a signal: this thread has the lock of an arena, or is about to.
  static bool this_thread_holds_one() { return held > 0; }

  /// Requires the lock, and a call that began.
  Call& call() { return *call_; }
  void begin(Call& call) { call_ = &call; }
  /// A thread is outside and will come back.
  bool is_awaited() const { return away_ > 0; }

  /// Does the work without the lock. Others may change the arena meanwhile.
  template <class Work>
  void step_outside(const Work& work) {
    Call* const own = call_;
    ++away_;
    unlock();
    work();
    lock();
    --away_;
    call_ = own;
  }

 private:
  std::mutex mutex_;
  Call* call_ = nullptr;
  int away_ = 0;

  static void note_held(int change) {
    held += change;
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  constinit inline static thread_local int held = 0;
};

class SegmentSupply {
 public:
  SegmentSupply(ArenaLock& lock, ContextRecord& context, FencedFrees& frees)
      : lock_(lock), context_(context), frees_(frees), mapped_(context) {}

  // Requires the lock, in a call that began.
  /// Empty if the driver has no room. Throws DeviceError on any other error.
  std::optional<Address> allocate(Bytes size);
  /// Addresses and memory of expandable segments. DeviceError where a capture forbids the calls,
  /// and where the context answers nothing else any more. Other errors of the driver count as no
  /// room: it may still have memory that need not be mapped. The allocator keeps what is being
  /// mapped out of the reach of others meanwhile.
  std::optional<Address> reserve(Bytes size);
  bool map(const UnitRange& range);
  /// Given back to the driver later: with the next segment that is asked for, or by flush().
  void release(Address at);
  /// The same for units of an expandable segment, and for its addresses.
  void unmap(const UnitRange& range);
  void release_reservation(Address at);
  /// Ends what began with the first refusal. Requires the lock.
  void end_ladder(Call& call);
  /// The driver's figures when it refused last.
  allocator::MemoryInfo info() const { return {free_at_refusal_, total_}; }
  void set_total(Bytes total) { total_ = total; }

  /// True also for a segment that is about to be given back. Requires the lock.
  bool owns(Address at) const;
  /// The driver is just getting it back, or has given it to another caller already. Requires the
  /// lock.
  bool is_leaving(Address at) const;
  /// Ends when it has gone. Requires: the lock is not held.
  void wait_for_leaving() { const std::lock_guard flushing(flush_mutex_); }
  Bytes pending_release() const { return pending_release_; }
  bool has_pending() const { return !to_release_.empty() || mapped_.has_left_over(); }
  /// The segment that the address lies in. Requires: there is one.
  Address segment_of(Address at) const { return std::prev(segments_.upper_bound(at))->first; }
  /// False: surely not ours. Requires nothing.
  bool may_own(Address at) const {
    return at.value >= lowest_.load(std::memory_order_acquire) &&
           at.value < highest_.load(std::memory_order_acquire);
  }
  /// Gives back the segments on the list. False: a capture is in the way. Requires: the lock is not
  /// held.
  bool flush();
  /// Waits for the frees that the cache knows of. Requires the lock; others may change the arena
  /// meanwhile.
  void wait_for_frees();

  ExpandableMemory& mapped() { return mapped_; }
  /// The context is gone: gives back the memory that does not go with it. Returns whether that was
  /// any. Requires: the lock is not held.
  bool give_up();

  /// Sets the function by which the ladder gets the arena's newest frees into the cache first, each
  /// behind a recorded fence, and holds back those that come later. Called with the lock, which it
  /// may step out of.
  void set_fence_all(std::function<void()> fence_all) { fence_all_ = std::move(fence_all); }
  /// Sets the function that says whether to wait for freed memory before the driver is asked for
  /// this request.
  void set_waits_first(std::function<bool(Bytes request)> waits_first) {
    waits_first_ = std::move(waits_first);
  }
  /// Sets the function that asks the program to free memory, before the driver is asked for some.
  /// Called with the lock, which it steps out of.
  void set_ask_program(std::function<bool()> ask_program) { ask_program_ = std::move(ask_program); }
  /// Returns whether the cache got something that the program freed. Requires the lock, in a call
  /// that began; others may change the arena meanwhile.
  bool ask_program() { return ask_program_(); }
  /// Waits for these events, unless a capture is open. Requires: the lock is not held.
  void wait_for(const std::vector<ContextEvent>& events);
  /// Sets the function that gives back the idle memory of others on the device, and says whether it
  /// was any. It is called without the lock.
  void set_make_room(std::function<bool()> make_room) { make_room_ = std::move(make_room); }

 private:
  void wait_first_if_asked();
  template <class Work>
  CUresult map_outside_of_captures(const Work& work);
  bool has_mapped(CUresult result);
  /// Called after the driver refused memory.
  void climb();
  /// True if this arena gave back all it could before, and others have given back something now.
  bool others_made_room(const Call& call) { return call.ladder.owns_lock() && make_room_(); }

  ArenaLock& lock_;
  ContextRecord& context_;
  FencedFrees& frees_;
  ExpandableMemory mapped_;
  std::function<void()> fence_all_;
  std::function<bool()> make_room_ = [] { return false; };
  std::function<bool(Bytes)> waits_first_;
  std::function<bool()> ask_program_ = [] { return false; };

  enum class RangeKind : std::uint8_t { segment, units, reservation };
  struct Range {
    Address at;
    Bytes size;
    RangeKind kind = RangeKind::segment;
    bool holds(Address address) const { return at <= address && address < at + size; }
    Bytes memory() const { return kind == RangeKind::reservation ? Bytes{0} : size; }
  };
  /// Addresses that are this arena's from now on.
  void note(Address at, Bytes size);
  /// True if some of these units are still to be given back.
  bool is_going(const UnitRange& range) const;
  /// Gives back the segments on the list. Returns whether none of these units is still to go.
  /// Requires: the context's gate is entered, and the lock is not held.
  bool is_gone_when_given_back(const UnitRange& range);
  void give_back_left_over();
  /// As flush(). Requires: the context's gate is entered, and the lock is not held.
  void give_back();
  CUresult give_back(const Range& range);
  /// Returns how many went; a capture may be in the way of the others.
  std::size_t give_back(const std::vector<Range>& ranges);
  /// Puts it on the list, which is in the order of giving back.
  void put_on_list(const Range& range);
  std::map<Address, Bytes> segments_;
  std::vector<Range> to_release_;
  /// In the driver's hands; a new segment may come back at the same place.
  std::vector<Range> being_released_;
  Bytes pending_release_;
  Bytes total_;
  Bytes free_at_refusal_;
  std::atomic<std::uint64_t> lowest_ = ~0ULL;
  std::atomic<std::uint64_t> highest_ = 0;
  /// One thread gives back at a time: a thread that is refused memory must not miss memory that
  /// another one is just giving back.
  std::mutex flush_mutex_;
  std::mutex ladder_mutex_;
};

}  // namespace vramlab::shim
