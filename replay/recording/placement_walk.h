// PlacementWalk: one pass over a history with every block placed where it was recorded. It gives
// each segment a number for its life, says which life each event belongs to, and collects findings:
// segments that cannot share a pool, and lives that a release left behind. A PlacementWatcher hears
// of the blocks while a placed history is walked through again.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "allocator/options/settings.h"
#include "allocator/types/directed.h"
#include "replay/recording/live_blocks.h"
#include "replay/recording/recorded_calls.h"
#include "replay/recording/settings_in_time.h"
#include "replay/recording/starting_state.h"

namespace vramlab::replay {

struct SegmentLife {
  Address base;
  Bytes size;
  StreamId stream;
  PoolKind kind = PoolKind::small;
  bool is_expandable = false;
  /// Empty if nothing says it.
  std::optional<PoolId> pool;
  /// The events that began it (0 if it was there at the start) and ended it.
  std::size_t begin = 0;
  std::size_t end = ~std::size_t{0};
  /// How many requests got a block of it, and the event of the last one; 0 where none did.
  std::size_t request_count = 0;
  std::size_t last_request = 0;
};

struct PlacedBlock {
  Bytes size;
  LifeIndex life = no_life;
  GivenUse use = GivenUse::free;
};

/// Segments and blocks as a history shows them, every block where it was recorded. Pools play no
/// part, so this runs before they are known. It is plain and slow enough to be obviously right; the
/// engine is not involved.
class PlacementBlocks {
 public:
  /// The free blocks that compete for a request.
  struct Class {
    StreamId stream;
    PoolKind kind;
    friend auto operator<=>(const Class&, const Class&) = default;
  };
  using FreeSet = std::set<std::pair<Bytes, Address>>;
  /// Blocks of a class whose segments are in one pool, or in pools that are not known yet.
  struct Group {
    Class of;
    std::optional<PoolId> pool;
    friend auto operator<=>(const Group&, const Group&) = default;
  };

  PlacementBlocks() = default;
  PlacementBlocks(const PlacementBlocks&) = delete;
  PlacementBlocks& operator=(const PlacementBlocks&) = delete;
  ~PlacementBlocks() = default;

  LifeIndex add(const SegmentLife& life, const std::vector<GivenBlock>& blocks);

  // A change returns false if the recorded event is impossible.
  bool hand_out(Address at, Bytes size);
  /// The block waits until complete().
  bool free(Address at);
  bool complete(Address at);
  bool release(Address at, Bytes size, std::size_t event);
  bool map(Address at, Bytes size);
  bool unmap(Address at, Bytes size, std::size_t event);
  /// The pool of a life is known from now on.
  void name_pool(LifeIndex life, PoolId pool);

  const PlacedBlock* find(Address at) const;
  /// The free blocks of the class that may be in the pool; all of the class if the pool is not
  /// known.
  std::vector<const FreeSet*> free_blocks(Class wanted, std::optional<PoolId> pool) const;
  const std::map<Group, FreeSet>& all_free_blocks() const { return free_; }
  Bytes largest_free() const { return largest_.empty() ? Bytes{} : *largest_.rbegin(); }
  /// The block's size and that of the unmapped addresses right behind it.
  Bytes reach(Address at) const;
  bool is_whole(Address at) const;
  /// The reservation of this class that the address lies in or right behind the mapped part of.
  LifeIndex reservation_for(Address at, Class wanted) const;

  /// The reservation of this stream that the address lies in; of several the one that begins last.
  LifeIndex reservation_around(Address at, StreamId stream) const;
  /// Living lives that are expandable: all, and those of a class.
  const std::set<LifeIndex>& reservations() const { return living_reservations_; }
  const std::set<LifeIndex>& reservations_of(Class wanted) const;

  /// The lowest unmapped addresses of a reservation from which on `size` could be had.
  std::optional<Address> place_to_grow(LifeIndex index, Bytes size) const;

  const std::vector<SegmentLife>& lives() const { return lives_; }
  std::vector<SegmentLife>& lives() { return lives_; }
  Class class_of(LifeIndex life) const { return {lives_[life].stream, lives_[life].kind}; }
  const std::set<LifeIndex>& living() const { return living_; }
  /// Classic segments that are free as a whole.
  const std::set<LifeIndex>& whole_free() const { return whole_free_; }
  /// The lives whose distance to the next one is new since this was asked for last.
  std::set<LifeIndex> take_new_distances() { return std::exchange(new_distances_, {}); }
  void renew_all_distances() { new_distances_ = living_; }
  /// The base of the next life; empty behind the last one, and for a life that is over.
  std::optional<Address> next_base(LifeIndex life) const;
  const std::map<Address, PlacedBlock>& blocks() const { return blocks_; }

 private:
  using Place = std::map<Address, PlacedBlock>::iterator;

  Place place_of(Address at);
  Place put(Place next, Address at, const PlacedBlock& block);
  void remove(Place block);
  Place neighbour_after(Place block);
  Place neighbour_before(Place block);
  void enter(Place block, GivenUse use);
  void leave(Place block);
  Place cut(Place block, Bytes front);
  Place join(Place block, GivenUse use);
  void end_life(LifeIndex life, std::size_t event);
  void add_free(Place block);
  void remove_free(Place block);
  void note_largest(Bytes before, const FreeSet& set);
  Bytes free_before(std::map<Address, PlacedBlock>::const_iterator block) const;
  /// The distances of the lives at this base and before it are new.
  void note_distances_up_to(Address base);

  std::map<Address, PlacedBlock> blocks_;
  /// The block that was looked up last; most are looked up several times in a row.
  Place latest_ = blocks_.end();
  // Nodes of the block and of the free block that went last, for the next ones.
  std::map<Address, PlacedBlock>::node_type spare_block_;
  FreeSet::node_type spare_free_;
  std::map<Group, FreeSet> free_;
  /// The largest block of each set of free blocks.
  std::multiset<Bytes> largest_;
  /// By life and address.
  std::set<std::pair<LifeIndex, Address>> unmapped_;
  std::vector<SegmentLife> lives_;
  std::set<LifeIndex> living_;
  std::set<LifeIndex> whole_free_;
  std::set<std::pair<Address, LifeIndex>> by_base_;
  std::set<LifeIndex> new_distances_;
  std::set<std::tuple<StreamId, Address, LifeIndex>> reservations_;
  std::map<Class, std::set<LifeIndex>> reservations_by_class_;
  std::set<LifeIndex> living_reservations_;
  std::set<LifeIndex> none_;
  Bytes largest_reservation_;
};

/// A run of releases, and the lives that it left alone.
struct ReleaseRun {
  /// Index of its call.
  std::size_t call = 0;
  /// A call of the program released this, or a pool that ended, and no request.
  bool is_own_call = false;
  struct Released {
    LifeIndex life = no_life;
    Address address;
    Bytes size;
    bool is_unmap = false;
  };
  std::vector<Released> released;
  /// Lives that a release of everything in their pool would have shrunk, and that it left alone.
  std::vector<LifeIndex> left;
};

struct Placements {
  std::vector<SegmentLife> lives;
  /// The life of each event; no_life for an event without one.
  traces::LongSequence<LifeIndex> life_of_event;
  /// Pairs that cannot be in one pool, each once, in order. Pairs whose pools are known and differ
  /// need not be among them.
  std::vector<std::pair<LifeIndex, LifeIndex>> apart;
  std::vector<ReleaseRun> releases;
  /// How many addresses an expandable segment reserves, at most.
  Bytes reservation = unknown_reservation;
  /// The first event that has no place; empty where there is none.
  std::string contradiction;
};

/// Hears how the blocks change while a history is walked through. Lives have the same numbers in
/// each walk over a history.
class PlacementWatcher {
 public:
  PlacementWatcher() = default;
  PlacementWatcher(const PlacementWatcher&) = delete;
  PlacementWatcher& operator=(const PlacementWatcher&) = delete;
  virtual ~PlacementWatcher() = default;

  /// The blocks as they are before the first event.
  virtual void begin(const PlacementBlocks& blocks) = 0;
  /// An event is done; not called where it has no place.
  virtual void event_done(std::size_t event, const PlacementBlocks& blocks) = 0;
};

/// All that a walk through the blocks of a history begins with.
struct StartedHistory {
  SettingsPhases phases;
  DeviceRoom room;
  RecordedCalls calls;
  SettingsInTime in_time;
  /// Pools that never split a block.
  std::set<PoolId> whole_pools;
  StartingState start;
  /// The number of addresses that the walk takes an expandable segment to have.
  Bytes reservation = unknown_reservation;
};

/// A history whose events all have their places.
struct PlacedHistory : StartedHistory {
  Placements placements;

  /// The size of the device that the reservations show; empty where they show none.
  std::optional<Bytes> shown_device() const;
  /// Whether an option lets a new segment have too few addresses for the request, so that it fails
  /// however much memory the device has.
  bool exceeds_reserve(Bytes rounded, const allocator::Settings& settings) const;
  /// The same for the recorded request that failed with this event.
  bool exceeds_reserve(const DeviceHistory& history, std::size_t event) const;
};

/// A walk tells how far expandable segments reach; there is none where the history maps nothing.
StartedHistory start_history(const DeviceHistory& history, SettingsPhases phases,
                             const ReferenceVersion& version);
PlacedHistory place_history(const DeviceHistory& history, SettingsPhases phases,
                            const ReferenceVersion& version);

/// Walks through the history again, watched.
void watch_placements(const DeviceHistory& history, const StartedHistory& started,
                      PlacementWatcher& watcher);

}  // namespace vramlab::replay
