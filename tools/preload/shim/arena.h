// Arena: one context's allocations. It owns the lock, knows the blocks that the program holds, and
// takes each call through its steps: look under the lock, record outside of it, hand over.
//
// A free only puts the block behind a fence that is still open; the next request records the fence
// without the lock. So the driver is never called under the lock but to ask whether an event is
// over.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tools/preload/segments/segment_supply.h"
#include "tools/preload/shim/block_cache.h"
#include "tools/preload/shim/shim_options.h"

namespace vramlab::shim {

/// Callbacks that are called when no cached block fits, before the driver is asked. Calls may come
/// from any thread.
class FreeMemoryCallbacks {
 public:
  void add(CUdevice device, std::function<bool()> callback);
  /// Asks all callbacks of the device, in their order. Returns whether one freed something; no for
  /// requests that a callback makes itself. Requires: no lock is held, as a callback may free.
  bool ask(CUdevice device) const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::pair<CUdevice, std::function<bool()>>> callbacks_;
};

/// Says whether to wait for freed memory on which work may still be under way.
enum class Patience : bool { none, waits };

/// The parts that all arenas share. Requires: they outlive them.
struct ArenaParts {
  const ShimOptions& options;
  FenceRecorder& recorder;
  const streams::CudaDriver& driver;
  CaptureGate& gate;
  TakenStacks& stacks;
  const FreeMemoryCallbacks& callbacks;
};

class Arena {
 public:
  Arena(const ArenaParts& parts, ContextName name)
      : options_(parts.options),
        recorder_(parts.recorder),
        stacks_(parts.stacks),
        callbacks_(parts.callbacks),
        context_(parts.driver, parts.gate, name),
        frees_(context_),
        supply_(lock_, context_, frees_) {}

  ContextRecord& context() { return context_; }
  /// Requires: something was allocated here.
  int device() const { return device_; }
  /// Memory of this device is allocated here.
  bool is_on(CUdevice device) const {
    return has_cache_.load(std::memory_order_acquire) && device_ == device;
  }
  bool may_own(CUdeviceptr at) const { return supply_.may_own({at}); }

  // Requires: the context is current.
  [[gnu::flatten]] CUresult allocate(CUdeviceptr* at, std::size_t bytes);
  /// The program gets the driver's answer. If the driver lacks memory, cached memory counts as free
  /// and is given back first.
  CUresult allocate_in_capture(CUdeviceptr* at, std::size_t bytes);
  /// An allocation of the driver's own, which is not cached. Idle memory is given back for it.
  CUresult take_from_driver(CUdeviceptr* at, std::size_t bytes);
  /// Free bytes that the driver counts as used. 0 before the first allocation.
  std::size_t idle_bytes();

  /// Freed bytes whose work is not known to be complete.
  Bytes waiting_bytes();
  /// The driver's events that are kept here, for tests. Requires: no fence is being recorded.
  std::size_t event_count();

  // Gives the driver the segments in which nothing is in use; returns whether that was any. Any
  // context may be current, or none.
  bool give_back_idle(Patience patience);
  /// Gives back the idle memory of a device, except that of one arena. Returns whether it was any.
  using MakeRoom = std::function<bool(CUdevice device, const Arena* except)>;
  void set_make_room(MakeRoom make_room);

  // Any context may be current, or none. Nothing: the address is not this arena's.
  [[gnu::flatten]] std::optional<CUresult> free(CUdeviceptr at);
  /// Frees in the order of a stream, which is one of this context.
  std::optional<CUresult> free_on(CUdeviceptr at, CUstream stream, ContextRecord& stream_context);
  bool owns(CUdeviceptr at);
  /// The program has a block here.
  bool holds(CUdeviceptr at);
  /// The program's block that the address lies in.
  std::optional<HeldBlock> block_around(CUdeviceptr at);
  /// Says whether the driver's allocation around the address begins where the program's block does,
  /// so that a handle of it is right.
  bool may_export(CUdeviceptr at);
  /// No block in this range is used again after it is freed: another process may still look at it.
  void retire(CUdeviceptr from, std::size_t bytes);

  /// `from` may use this arena's memory, or no longer.
  void set_peer(ContextRecord& from, bool may_use);
  /// Records the fences of all frees: a capture would forbid it, and complete blocks may be needed
  /// in it.
  void fence_before_capture();
  /// A capture is announced: ends when no call that could break it is under way here.
  void let_calls_finish();
  /// Forgets everything. Only memory that does not go with its context is given back to the driver.
  void drop();
  /// Gives back memory that could not be given back when it was dropped. Returns whether it was
  /// any.
  bool give_up_rest() { return options_.settings.expandable_segments && supply_.give_up(); }
  /// Calls `look(cache)`, if memory was ever asked for here.
  template <class Look>
  void look_at(const Look& look);

 private:
  /// Leaving: the owner of the address is not known before the driver's free has come back.
  enum class Standing { not_ours, held, not_held, leaving };
  Standing standing_of(Address at) const;
  /// Others may change the arena meanwhile.
  [[gnu::noinline]] Standing standing_after_leaving(Address at);
  bool was_retired(Address at) const {
    return !retired_and_freed_.empty() && retired_and_freed_.contains(at.value);
  }
  [[gnu::noinline]] CUresult make_cache();
  /// The settings without those that the device cannot do, of which the user is told.
  Settings settings_on(CUdevice device);
  CUresult take(CUdeviceptr* at, Bytes size);
  /// Takes a cached block, without a call of the driver that a capture could mind.
  CUresult take_cached(CUdeviceptr* at, Bytes size);
  std::optional<Address> allocate_in_cache(Call& call, StackNumber stack);
  [[gnu::noinline]] CUresult refuse(CUdeviceptr* at, Bytes size, const Call& call);
  [[gnu::noinline]] CUresult fill(CUdeviceptr at, std::size_t bytes);
  enum class Free { not_ours, refused, retired, held };
  /// Requires the lock. Held: the caller must give the block a fence.
  Free begin_free(Address at);
  CUresult error_of_refused() const;
  [[gnu::noinline]] CUresult free_retired(Address at);
  /// The segment goes to the driver if nothing but freed retired blocks is left in it. Requires the
  /// lock, and such a block at this address.
  bool release_retired(Address at);
  void release_all_retired();
  bool has_retired();
  /// Hands the frees whose fences are recorded to the cache.
  void settle();
  void hand_in(Address at, Fence& fence);
  void gather(Address at);
  /// The history's next entries come from this call. Requires: there is a cache.
  void go_on_with(StackNumber stack) {
    if (options_.stacks.take != nullptr) [[unlikely]]
      cache_->set_stack(stack);
  }
  /// True if something was freed since the last fence, or a fence turned out to be of no use.
  bool has_to_fence();
  enum class FencedBy { request, refused_request, free };
  /// Records the fence of all frees so far. Requires: some came, and the lock is held.
  void fence_gathered(FencedBy by);
  /// True if so much waits, and was freed since the last fence that a free recorded, that a request
  /// may have to wait for this free.
  bool is_far_ahead(Bytes freed);
  /// Returns whether the free has to wait.
  bool gather_free(Address at, StackNumber stack);
  bool frees_have_to_wait();
  [[gnu::noinline]] void wait_in_free();
  Bytes waiting_limit(const WaitingBytes& waiting) const;
  /// The supply's function to ask the program (SegmentSupply::set_ask_program).
  [[gnu::noinline]] bool ask_program();
  /// The supply's function to wait first (SegmentSupply::set_waits_first).
  [[gnu::noinline]] bool waits_first(Bytes request);
  /// False if asking again makes no sense.
  [[gnu::noinline]] bool wait_for_oldest_free();
  bool may_fence() { return !context_.gate().is_capturing(); }
  /// The ladder's function to fence all frees (SegmentSupply::set_fence_all).
  [[gnu::noinline]] void fence_all();
  [[gnu::noinline]] void say_refusal(CUresult refusal);
  [[gnu::noinline]] void say_long_capture();
  [[gnu::noinline]] void note_peers(Fence& fence);

  const ShimOptions& options_;
  FenceRecorder& recorder_;
  TakenStacks& stacks_;
  const FreeMemoryCallbacks& callbacks_;
  ContextRecord context_;
  ArenaLock lock_;
  FencedFrees frees_;
  SegmentSupply supply_;
  std::unique_ptr<BlockCache> cache_;
  CUdevice device_ = 0;
  std::optional<Bytes> idle_limit_;
  MakeRoom make_room_ = [](CUdevice, const Arena*) { return false; };
  std::vector<ContextRecord*> peers_;
  std::atomic<bool> has_cache_ = false;
  Bytes freed_since_fence_;
  /// More memory waited once than may, and a request went to the driver although memory that other
  /// threads had freed would have done.
  bool has_run_ahead_ = false;
  std::unordered_set<std::uint64_t> retired_;
  /// The retired blocks that the program freed already.
  std::unordered_set<std::uint64_t> retired_and_freed_;
};

template <class Look>
void Arena::look_at(const Look& look) {
  const std::lock_guard lock(lock_);
  if (cache_ == nullptr || context_.is_gone()) return;
  settle();
  go_on_with(0);
  look(*cache_);
}

}  // namespace vramlab::shim
