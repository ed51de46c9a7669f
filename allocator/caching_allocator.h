// CachingAllocator: the door. It tells the story of a request in short functions and leaves each
// step to the part that knows its rule. One device, no lock, no clock: several of them run side by
// side in one process and share nothing.
//
// Listeners hear every fact at the moment it happens; they are chosen at compile time. Calls that
// must not be made in a state throw AllocatorError before anything changed. A DeviceError thrown by
// the device passes through and leaves the allocator consistent. Calls that only a replay of a
// recording makes stand in ReplayAccess.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "allocator/blocks/pool.h"
#include "allocator/listeners/history.h"
#include "allocator/listeners/listeners.h"
#include "allocator/listeners/statistics.h"
#include "allocator/policy/best_fit.h"
#include "allocator/policy/frees.h"
#include "allocator/policy/reclaim.h"
#include "allocator/policy/segment_source.h"
#include "allocator/types/answers.h"
#include "allocator/types/directed.h"
#include "allocator/types/snapshot.h"

namespace vramlab::allocator {

template <class L>
class CachingAllocator {
 public:
  /// A limit that the settings bring along is in force from the start.
  /// Requires: the device outlives the allocator.
  CachingAllocator(Device& device, const ReferenceVersion& version, const Settings& settings = {});

  /// The steps that most requests need are one straight piece of code; rare steps are kept out of
  /// it.
  [[gnu::flatten]] MallocResult malloc(Bytes request, StreamId stream);
  /// Callbacks that are asked, all of them and in this order, when no cached block fits: each says
  /// whether it freed something. If one did, the request looks once more before it collects garbage
  /// or asks the device.
  /// Requires: a callback calls nothing but free().
  void add_free_memory_callback(std::function<bool()> callback) {
    free_memory_callbacks_.push_back(std::move(callback));
  }
  /// The figures of the last request that failed.
  const OutOfMemory& last_failure() const { return last_failure_; }
  [[gnu::flatten]] void free(Address address);
  /// The block is used on that stream too: once freed, it waits for the work of that stream.
  void record_stream(Address address, StreamId stream);

  /// Freed blocks whose streams are done become free, as at the beginning of each request.
  void complete_frees() {
    if (!frees_.is_idle() && in_capture() == InCapture::no) frees_.process_events();
  }
  /// The stream that is current where calls come from that name none: frees, uses, emptied caches.
  /// Until it is set, the stream of the last request counts as current.
  void set_current_stream(StreamId stream) { current_ = stream; }
  /// Releases all cached memory, or that of one private pool that nobody uses any more.
  void empty_cache(PoolId pool = default_pool);
  /// Options that stand before an error in the string have taken effect.
  std::optional<SettingsError> set_options(std::string_view text);
  /// Requires: between 0 and 1.
  void set_memory_fraction(double fraction);

  /// From now on requests on streams that the filter accepts come from the private pool, which is
  /// made, or gets one use more.
  void begin_scope(PoolId pool, const StreamFilter& filter);
  void end_scope(PoolId pool);
  /// Takes one use of the pool; without uses its cached memory may be released.
  void release_pool(PoolId pool);
  /// A pool object of the user; destroying it gives its use back and empties its cache.
  void create_pool(PoolId pool, PoolTraits traits);
  void destroy_pool(PoolId pool);

  Checkpoint take_checkpoint(PoolId pool);
  RestoreResult restore_checkpoint(const Checkpoint& checkpoint);

  Snapshot take_snapshot();

  /// Whether a block that is in use starts there.
  bool is_live(Address address) const { return core_.live_at(address) != BlockIndex::none; }
  L& listeners() { return core_.listeners; }
  const L& listeners() const { return core_.listeners; }
  const Settings& settings() const { return core_.settings; }
  /// For checkers and reports, which only look.
  const Core<L>& core() const { return core_; }
  const CrossStreamFrees<L>& cross_stream_frees() const { return frees_; }

 private:
  template <class>
  friend class ReplayView;
  template <class>
  friend class ReplayAccess;

  struct Found {
    MallocOutcome outcome = MallocOutcome::out_of_memory;
    BlockIndex block = BlockIndex::none;
    /// The lane of the block; another lane than asked for where a pool lent it.
    Lane* lane = nullptr;
  };
  struct FreeBlock {
    /// Its place in the lane's free set; none if it is in no set.
    FreeBlocks::Cursor at;
    BlockIndex block = BlockIndex::none;
  };
  enum class Cut : bool { no, yes };
  /// How much of a free block is handed out for a request.
  struct Portion {
    Bytes rounded;
    Bytes request;
    Cut cut;
  };

  /// Asks the device, in versions for which a capture belongs to the current stream.
  [[gnu::noinline]] InCapture in_capture();
  /// Requires: the block was taken out of the live ones. If the device fails to tell of captures,
  /// it is live again.
  [[gnu::noinline]] void free_used(BlockIndex index);
  [[gnu::noinline]] void complete_waiting(StreamId stream);
  Pool& pool_for(PoolKind kind, StreamId stream);

  FreeBlocks::Cursor look_for(Lane& lane, Bytes rounded, Mode mode);
  /// Takes what look_for() finds.
  BlockIndex take_best_fit(Lane& lane, Bytes rounded, Mode mode);

  // The ladder on a miss.
  BlockIndex look_after_callbacks(Lane& lane, Bytes rounded);
  [[gnu::noinline]] Found get_memory(Lane& lane, Bytes rounded);
  Found borrow_from_pools(PoolKind kind, StreamId stream, Bytes rounded);
  Found borrow_from(PrivatePool& pool, PoolKind kind, StreamId stream, Bytes rounded);
  [[gnu::noinline]] MallocResult fail(MallocOutcome outcome, const Lane& lane, Bytes request,
                                      Bytes rounded);
  [[gnu::noinline]] MallocResult refuse_huge(Bytes request);
  OutOfMemory describe_failure(MallocOutcome outcome, Bytes request, Bytes device_size);

  // The rules that made these decisions are told to listeners that hear rules.
  void tell_sizes(Bytes request, Bytes rounded);
  void tell_search(const Lane& lane, Bytes rounded, Mode mode, FreeBlocks::Cursor found);
  void tell_cut(const Lane& lane, Bytes size, Bytes rounded, Mode mode);

  Cut cut_of(const Lane& lane, Bytes size, Bytes rounded, Mode mode) const;
  /// Hands out the first `rounded` bytes of a free block of the lane.
  Address hand_out(Lane& lane, const FreeBlock& free, const Portion& portion);
  /// The request after a search that found nothing.
  [[gnu::noinline]] MallocResult get_and_hand_out(Lane& lane, Bytes request, Bytes rounded);
  Mode mode() const {
    return core_.settings.expandable_segments ? Mode::expandable : Mode::classic;
  }

  [[gnu::noinline]] BlockIndex live_block(Address address, const char* purpose) const;
  bool is_refused_in_capture(PoolId pool) const;
  PrivatePool& usable_pool(PoolId pool, const char* purpose);
  PrivatePool& open_pool(PoolId pool);

  // Checkpoints.
  std::vector<SegmentIndex> segments_of(const PrivatePool& pool) const;
  void check_nothing_awaited(const PrivatePool& pool) const;
  void check_restorable(const PrivatePool& pool, const Checkpoint& checkpoint) const;
  bool fits(const CheckpointSegment& noted, BlockIndex first) const;
  std::vector<Address> free_all_of(const PrivatePool& pool);
  void cut_along(const CheckpointSegment& noted, BlockIndex first, RestoreResult& result);

  SnapshotSegment snapshot_run(const Segment& segment, BlockIndex& at) const;

  /// The first block of the segment that starts there, or none.
  BlockIndex segment_start(Address address) const;

  Core<L> core_;
  CaptureScopes scopes_;
  CrossStreamFrees<L> frees_;
  SegmentSource<L> source_;
  Reclaim<L> reclaim_;
  std::set<PoolId> lending_pools_;
  std::set<PoolId> no_split_pools_;
  std::vector<std::function<bool()>> free_memory_callbacks_;
  OutOfMemory last_failure_;
  /// Blocks that wait because a recording says so.
  std::map<Address, BlockIndex> held_;
  StreamId current_;
};

/// Without listeners: the algorithm alone.
using BareAllocator = CachingAllocator<Listeners<>>;
using CountingAllocator = CachingAllocator<Listeners<Statistics>>;
using RecordingAllocator = CachingAllocator<Listeners<Statistics, History>>;
/// Names the rules that act, too.
using ExplainingAllocator = CachingAllocator<Listeners<Statistics, History, ActedRules>>;

extern template class CachingAllocator<Listeners<>>;
extern template class CachingAllocator<Listeners<Statistics>>;
extern template class CachingAllocator<Listeners<Statistics, History>>;
extern template class CachingAllocator<Listeners<Statistics, History, ActedRules>>;

}  // namespace vramlab::allocator
