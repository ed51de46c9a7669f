// BlockCache: keeps an arena's freed blocks and hands them out again. Two kinds: the allocator's
// engine, which cuts and merges, and one driver allocation for each block.
//
// Everything requires the arena's lock. Requests may let others in while the driver is called.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "allocator/listeners/history.h"
#include "allocator/types/snapshot.h"
#include "tools/preload/segments/segment_supply.h"
#include "tools/preload/shim/shim_options.h"

namespace vramlab::shim {

/// A block in use, and where it lies.
struct HeldBlock {
  Address address;
  Bytes size;
  /// As the program asked for.
  Bytes requested;
  Address segment;
  Bytes segment_size;
  /// The segment is many allocations of the driver, one for each unit.
  bool is_expandable = false;
  bool is_whole_segment() const { return size == segment_size; }
};

/// Bytes that were freed and wait for a fence, beside the most that the program held.
struct WaitingBytes {
  Bytes now;
  Bytes peak_in_use;
};

class BlockCache {
 public:
  BlockCache() = default;
  BlockCache(const BlockCache&) = delete;
  BlockCache& operator=(const BlockCache&) = delete;
  virtual ~BlockCache() = default;

  /// Empty if memory stays out after every retry. Throws DeviceError if the
  /// driver had another answer.
  virtual std::optional<Address> allocate(Bytes size) = 0;
  /// Used again once the fence is complete. Requires: is_held().
  virtual void free(Address at, Fence& fence) = 0;
  /// Used again at once.
  virtual void free_now(Address at) = 0;
  virtual bool is_held(Address at) const = 0;
  /// The block in use that the address lies in.
  virtual std::optional<HeldBlock> held_around(Address at) const = 0;
  /// The blocks of the segment go to the driver and not into the cache, if `may_go` says yes to all
  /// of them that are in use and no other is awaited.
  virtual bool release_segment(Address segment, const std::function<bool(Address)>& may_go) = 0;
  /// Segments in which nothing is in use or awaited go to the driver, until no more than this is
  /// idle. Nothing is waited for.
  virtual void release_idle(Bytes to_keep) = 0;
  /// The bytes that the driver will count as free when it gets back all unused memory: also these
  /// blocks, by address, which the program freed although the cache still holds them.
  virtual Bytes idle(const std::vector<Address>& freed) const = 0;

  virtual WaitingBytes waiting() const = 0;
  /// True if some waiting block would do for this request.
  virtual bool has_waiting_for(Bytes request) const = 0;

  virtual Snapshot snapshot() = 0;
  virtual StatisticValues statistics() const = 0;
  /// Sets the stack that the history's next entries come from.
  virtual void set_stack(StackNumber stack) = 0;
  /// The newest entries of the history, oldest first; nothing if none is kept.
  virtual std::vector<HistoryEntry> history() const = 0;
};

/// All blocks belong to one stream.
inline constexpr StreamId owner_stream{0};

/// The allocator's engine, whose decisions are the simulator's.
std::unique_ptr<BlockCache> make_engine_cache(SegmentSupply& supply, FencePool& fences,
                                              const Settings& settings, const ShimOptions& options);

/// One driver allocation for each block, cached whole: the driver's answers about an address, its
/// base and its size, are then those that the program expects, and a handle of it is a handle of
/// nothing else.
std::unique_ptr<BlockCache> make_whole_cache(SegmentSupply& supply, FencePool& fences,
                                             std::size_t history_entries);

/// Entries have the time that PyTorch's snapshots have: microseconds since 1970.
void note_time(allocator::History& history);

}  // namespace vramlab::shim
