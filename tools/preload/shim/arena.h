// Arena: one context's allocations. It owns the lock, knows what the program holds, and takes each
// call through its steps: look under the lock, record outside of it, hand over.
//
// A free only puts the block behind a fence that is still open; the next request records the fence
// without the lock. So the driver is never called under the lock but to ask whether an event is
// over.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_set>
#include <vector>

#include "tools/preload/segments/segment_supply.h"
#include "tools/preload/shim/block_cache.h"
#include "tools/preload/shim/free_memory_callbacks.h"
#include "tools/preload/shim/shim_options.h"

namespace vramlab::shim {

/// Whether freed memory is waited for on which work may still be under way.
enum class Patience : bool { none, waits };

/// What all arenas share. Requires: it outlives them.
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
  /// The program gets what the driver says to that, but that it lacks memory: then what is cached
  /// counts as free.
  CUresult allocate_in_capture(CUdeviceptr* at, std::size_t bytes);
  /// An allocation of the driver's own, which is not cached. Idle memory is given back for it.
  CUresult take_from_driver(CUdeviceptr* at, std::size_t bytes);
  /// What the driver does not know to be free. 0 before the first allocation.
  std::size_t idle_bytes();

  /// Freed, and not known to be used by nobody any more.
  Bytes waiting_bytes();
  /// The driver's events that are kept here, for tests. Requires: no fence is being recorded.
  std::size_t event_count();

  // With any context current, or none.
  /// Gives the driver the segments in which nothing is in use. Whether it was anything.
  bool give_back_idle(Patience patience);
  /// How what is idle on a device is given back, but for that of one arena. Whether it was
  /// anything.
  using MakeRoom = std::function<bool(CUdevice device, const Arena* except)>;
  void set_make_room(MakeRoom make_room);

  // With any context current, or none. Nothing: the address is not this arena's.
  [[gnu::flatten]] std::optional<CUresult> free(CUdeviceptr at);
  /// In the order of a stream, which is one of this context.
  std::optional<CUresult> free_on(CUdeviceptr at, CUstream stream, ContextRecord& stream_context);
  bool owns(CUdeviceptr at);
  /// The program has a block here.
  bool holds(CUdeviceptr at);
  /// Whether a handle of the driver's allocation in which the address lies begins where the
  /// program's block does.
  bool may_export(CUdeviceptr at);
  /// No block in this range is used again after it is freed: somebody out of the program's sight
  /// may still look at it.
  void retire(CUdeviceptr from, std::size_t bytes);

  /// `from` may use this arena's memory, or no longer.
  void set_peer(ContextRecord& from, bool may_use);
  /// Records the fences of all frees: in a capture they cannot be, and what is over may be needed.
  void fence_before_capture();
  /// A capture is announced: ends when no call that could break it is under way here.
  void let_calls_finish();
  /// Forgets everything. The driver is called for memory alone that does not go with its context.
  void drop();
  /// What could not be given back when it was dropped. Whether it was any memory.
  bool give_up_rest() { return options_.settings.expandable_segments && supply_.give_up(); }
  /// Calls `look(cache)` with what is cached, if anything was ever asked for here.
  template <class Look>
  void look_at(const Look& look);

 private:
  /// Leaving: nobody can say whose the address is before the driver's free has come back.
  enum class Standing { not_ours, held, not_held, leaving };
  Standing standing_of(Address at) const;
  /// Others may change the arena meanwhile.
  [[gnu::noinline]] Standing standing_after_leaving(Address at);
  bool was_retired(Address at) const {
    return !retired_and_freed_.empty() && retired_and_freed_.contains(at.value);
  }
  [[gnu::noinline]] CUresult make_cache();
  /// Without what the device cannot do, which is said.
  Settings settings_on(CUdevice device);
  CUresult take(CUdeviceptr* at, Bytes size);
  /// Without a call of the driver that a capture could mind.
  CUresult take_cached(CUdeviceptr* at, Bytes size);
  std::optional<Address> allocate_in_cache(Call& call, StackNumber stack);
  [[gnu::noinline]] CUresult refuse(CUdeviceptr* at, Bytes size, const Call& call);
  [[gnu::noinline]] CUresult fill(CUdeviceptr at, std::size_t bytes);
  enum class Free { not_ours, refused, retired, held };
  /// Requires the lock. Held: it is the caller's to give the block a fence.
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
  /// The cache tells its history what comes from this call. Requires: there is a cache.
  void go_on_with(StackNumber stack) {
    if (options_.stacks.take != nullptr) [[unlikely]]
      cache_->set_stack(stack);
  }
  /// Something was freed since the last fence, or a fence turned out to be of no use.
  bool has_to_fence();
  enum class FencedBy { request, refused_request, free };
  /// Records the fence of what was freed so far. Requires: there is some, and the lock is held.
  void fence_gathered(FencedBy by);
  /// So much waits, and was freed since the last fence that a free recorded, that a request may
  /// have to wait for this free.
  bool is_far_ahead(Bytes freed);
  /// Whether the free has to wait then.
  bool gather_free(Address at, StackNumber stack);
  bool frees_have_to_wait();
  [[gnu::noinline]] void wait_in_free();
  Bytes waiting_limit(const WaitingBytes& waiting) const;
  /// For the supply: see SegmentSupply::set_ask_program.
  [[gnu::noinline]] bool ask_program();
  /// For the supply: see SegmentSupply::set_waits_first.
  [[gnu::noinline]] bool waits_first(Bytes request);
  /// False where it makes no sense to ask again.
  [[gnu::noinline]] bool wait_for_oldest_free();
  bool may_fence() { return !context_.gate().is_capturing(); }
  /// For the ladder: see SegmentSupply::set_fence_all.
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
  /// Once more waited than may, and a request went to the driver although memory would have done
  /// that other threads had freed.
  bool has_run_ahead_ = false;
  std::unordered_set<std::uint64_t> retired_;
  /// Those that the program freed already.
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
