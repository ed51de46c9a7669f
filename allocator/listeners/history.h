// History: the listener that keeps the trace, a ring of a set length whose oldest entries go first.
// Entries are 32 bytes; the stream and pool of an entry are looked up by its lane's number, and a
// free that is completed at once, as most are, takes one entry for its two.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "allocator/blocks/pool.h"
#include "allocator/listeners/listeners.h"
#include "allocator/types/snapshot.h"

namespace vramlab::allocator {

class History : public Listener {
 public:
  /// Keeps at most so many entries from now on.
  void set_capacity(std::size_t entries);
  /// Forgets all entries; the ring keeps its room.
  void forget() {
    next_ = 0;
    has_wrapped_ = false;
  }
  /// Touches memory for so many entries now, so that recording them costs no page faults.
  void prepare(std::size_t entries);
  /// Sets the time that entries get from now on.
  void set_time_us(std::uint64_t time_us) { time_us_ = time_us; }

  /// The number of entries ever recorded, lost ones included.
  std::uint64_t recorded_count() const { return recorded_count_; }
  /// How much of the ring is in use; a free that was completed at once counts as one.
  std::size_t held_count() const { return has_wrapped_ ? room_ : next_; }
  /// The entries that the ring holds, oldest first.
  std::vector<AllocatorEvent> entries() const;

  void handed_out(const BlockFact& block, Oversize) {
    record(Action::alloc, block.address.value, block.requested, block.lane.index);
  }
  void freed_at_once(const BlockFact& block, Oversize) {
    record(Action::free_requested, block.address.value, block.requested, block.lane.index);
    if (room_ == 0) return;
    ring_[next_ - 1].is_completed_too = true;
    ++recorded_count_;
  }
  void free_requested(const BlockFact& block, Oversize) {
    record(Action::free_requested, block.address.value, block.requested, block.lane.index);
  }
  void free_completed(const BlockFact& block) {
    record(Action::free_completed, block.address.value, block.requested, block.lane.index);
  }
  void segment_got(const RangeFact& range, Oversize) { record(Action::segment_alloc, range); }
  void segment_released(const RangeFact& range, Oversize) { record(Action::segment_free, range); }
  void range_mapped(const RangeFact& range) { record(Action::segment_map, range); }
  void range_unmapped(const RangeFact& range) { record(Action::segment_unmap, range); }
  void ran_out_of_memory(Bytes device_free, Bytes rounded, const Lane& lane) {
    record(Action::oom, device_free.count, rounded, lane.index);
  }
  void snapshot_taken(Bytes active);
  void lane_opened(const Lane& lane);

 private:
  struct Entry {
    std::uint64_t address;
    std::uint64_t size;
    std::uint64_t time_us;
    LaneIndex lane;
    Action action;
    /// A `free_completed` with all else the same follows.
    bool is_completed_too;
  };
  static_assert(sizeof(Entry) == 32);
  struct LaneName {
    StreamId stream;
    PoolId pool;
  };

  void record(Action action, const RangeFact& range) {
    record(action, range.address.value, range.size, range.lane.index);
  }
  void record(Action action, std::uint64_t address, Bytes size, LaneIndex lane) {
    if (next_ == room_) [[unlikely]]
      make_room();
    if (room_ == 0) [[unlikely]]
      return;
    ring_[next_++] = {address, size.count, time_us_, lane, action, false};
    ++recorded_count_;
  }
  void put_in_order();
  void keep_newest(std::size_t entries);
  /// Grows the ring up to its capacity, then starts over at its beginning.
  void make_room();
  void decode(const Entry& entry, std::vector<AllocatorEvent>& into) const;

  std::vector<Entry> ring_;
  std::size_t next_ = 0;
  std::size_t room_ = 0;
  std::size_t capacity_ = std::numeric_limits<std::size_t>::max();
  bool has_wrapped_ = false;
  std::uint64_t time_us_ = 0;
  std::uint64_t recorded_count_ = 0;
  std::vector<LaneName> lanes_;
};

}  // namespace vramlab::allocator
