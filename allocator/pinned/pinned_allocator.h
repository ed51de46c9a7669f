// PinnedAllocator: the reference's caching allocator for pinned host memory, one for all devices.
// A request gets a whole block of its size's power of two, cached or new; a freed block comes back
// when every stream that used it is done. Nothing is ever split, merged or tried again.
//
// Calls take the stack that history keeps of them, as a number.
#pragma once

#include <map>
#include <unordered_map>

#include "allocator/pinned/host_memory.h"
#include "allocator/pinned/host_pools.h"
#include "allocator/pinned/host_records.h"

namespace vramlab::allocator {

class PinnedAllocator {
 public:
  /// The system must outlive it.
  PinnedAllocator(HostSystem& system, const Settings& settings, const ReferenceVersion& version);

  const Settings& settings() const { return settings_; }
  void set_settings(Settings settings) { settings_ = std::move(settings); }

  /// `current`: the stream that open scopes and captures are asked about.
  HostMallocResult malloc(Bytes size, StreamId current, HostStack stack);
  /// Throws DeviceError where an event cannot be recorded; the block then never comes back.
  void free(Address at, HostStack stack);
  /// The stream uses the block that begins there. False where none does.
  bool use(Address at, StreamId stream);
  void empty_cache();
  /// One pass of the background thread, if it was started.
  void run_background_thread();

  void begin_pool(PoolId pool, StreamFilter filter) { pools_.begin(pool, std::move(filter)); }
  void end_pool(PoolId pool) { pools_.end(pool); }
  void release_pool(PoolId pool) { pools_.release(pool); }

  void record_history(const HostRecording& recording) { history_.set(recording); }
  /// Memory that the program pinned itself, for the history and snapshots.
  void register_external(Address at, Bytes size, HostStack stack);
  void unregister_external(Address at, HostStack stack);

  std::vector<HostEvent> history() const { return history_.events(); }
  std::size_t history_size() const { return history_.size(); }
  HostSnapshot snapshot() const;
  HostStatisticValues statistics() const { return statistics_.values(); }
  void reset_peak_statistics() { statistics_.reset_peak(); }
  void reset_accumulated_statistics() { statistics_.reset_accumulated(); }

 private:
  friend class HostConsistency;
  struct External {
    Bytes size;
    MaybeHostStack stack;
  };

  HostBlock* find_or_make(HostPool& pool, Bytes size, const MaybeHostStack& stack);
  HostBlock* take_free(HostPool& pool, Bytes size);
  /// Null where the system has no room.
  HostBlock* make_block(HostPool& pool, Bytes size, const MaybeHostStack& stack);
  void hand_out(HostBlock& block, StreamId current, const MaybeHostStack& stack);

  /// Frees that events complete show this stack, if there is one, or that of the block.
  void handle_events(HostPool& pool, const MaybeHostStack& stack);
  /// Looks at every event, but completes the free of one block at most.
  void handle_events_of_size(HostPool& pool, Bytes size, const MaybeHostStack& stack);
  /// Says whether it was the block's last event.
  bool event_is_done(const HostWait& wait, const MaybeHostStack& stack);
  void wait_for_streams(HostBlock& block);
  void complete_free(HostBlock& block, const MaybeHostStack& stack);

  /// The pool that a block's statistics belong to.
  PoolId counted_in(const HostBlock& block) const;
  void release_free_blocks(HostPool& pool);
  /// The memory goes back to the system and the block is gone.
  void release(HostBlock& block);
  void record(Action action, const HostBlock& block, const MaybeHostStack& stack);

  HostSystem& system_;
  Settings settings_;
  HostRules rules_;
  HostStatistics statistics_;
  HostHistory history_;
  HostMemory memory_;
  HostPools pools_;
  std::unordered_map<std::uint64_t, HostBlock> blocks_;
  std::map<Address, External> externals_;
  bool has_background_thread_ = false;
};

}  // namespace vramlab::allocator
