#include "replay/recording/placement_walk.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "allocator/options/size_rules.h"
#include "allocator/policy/best_fit.h"
#include "allocator/policy/splitting.h"
#include "allocator/types/check.h"
#include "replay/recording/whole_pools.h"

namespace vramlab::replay {
namespace {

using allocator::Settings;
using FreeSet = PlacementBlocks::FreeSet;

/// A free block by its place in the order of a search.
using FreeBlock = FreeSet::value_type;

/// A search for a free block among placed blocks.
struct PlacementRequest {
  Bytes rounded;
  PlacementBlocks::Class wanted;
  /// Empty if nothing says it.
  std::optional<PoolId> pool;
  bool expandable_on = false;
};

/// Free blocks in several sets, as if they were one.
struct FreeSets {
  std::vector<const FreeSet*> sets;

  const FreeBlock* at_or_after(const FreeBlock& block) const {
    const FreeBlock* first = nullptr;
    for (const FreeSet* set : sets) {
      const auto at = set->lower_bound(block);
      if (at != set->end() && (first == nullptr || *at < *first)) first = &*at;
    }
    return first;
  }
};

/// Some free blocks, in order.
struct FreeList {
  std::vector<FreeBlock> blocks;

  const FreeBlock* at_or_after(const FreeBlock& block) const {
    const auto at = std::ranges::lower_bound(blocks, block);
    return at == blocks.end() ? nullptr : &*at;
  }
};

/// Free blocks in the order in which find_best_fit() looks at them.
template <class Among>
class PlacementSearch {
 public:
  using Place = const FreeBlock*;
  PlacementSearch(const PlacementBlocks& blocks, const Among& among)
      : blocks_(blocks), among_(among) {}

  Place first(Bytes rounded) const { return among_.at_or_after({rounded, Address{0}}); }
  Place next(Place at) const { return among_.at_or_after({at->first, at->second + Bytes{1}}); }
  static Place end() { return nullptr; }
  static bool is_over(Place at) { return at == nullptr; }
  static Bytes size_of(Place at) { return at->first; }
  bool is_expandable(Place at) const {
    return blocks_.lives()[blocks_.find(at->second)->life].is_expandable;
  }
  bool can_grow(Place at) const { return blocks_.reach(at->second) > at->first; }
  bool reaches_as_far(Place at, Place other) const {
    return blocks_.reach(at->second) >= blocks_.reach(other->second);
  }

 private:
  const PlacementBlocks& blocks_;
  const Among& among_;
};

/// The block that a request would get.
template <class Among>
std::optional<Address> search_placements(const PlacementBlocks& blocks, const Among& among,
                                         const PlacementRequest& request,
                                         const allocator::Settings& settings) {
  const PlacementSearch<Among> search(blocks, among);
  const auto mode = request.expandable_on ? allocator::Mode::expandable : allocator::Mode::classic;
  const auto at = find_best_fit(search, request.rounded, mode, settings);
  if (search.is_over(at)) return std::nullopt;
  return at->second;
}

/// The pools of segments that were got by an event and are in the final state, as that says them.
std::map<std::size_t, PoolId> pools_of_survivors(const DeviceHistory& history) {
  std::map<std::size_t, PoolId> pools;
  if (!history.traits.segments_say_pool) return pools;
  std::map<Address, const SnapshotSegment*> survivors;
  for (const SnapshotSegment& segment : history.final_segments)
    if (!segment.is_expandable) survivors[segment.address] = &segment;
  const traces::LongSequence<std::size_t>& rare = history.events.rare();
  for (std::size_t at = rare.size(); at-- > 0 && !survivors.empty();) {
    const std::size_t i = rare[at];
    const AllocatorEvent event = history.events[i];
    if (event.action != Action::segment_alloc && event.action != Action::segment_free) continue;
    const auto found = survivors.find(event.address);
    if (found == survivors.end()) continue;
    const SnapshotSegment& segment = *found->second;
    if (event.action == Action::segment_alloc && segment.stream == event.stream)
      pools[i] = segment.pool;
    survivors.erase(found);
  }
  return pools;
}

/// The final segments of each kind by address, to find the last one in a range.
class FinalSegments {
 public:
  explicit FinalSegments(const std::vector<SnapshotSegment>& segments) {
    for (const SnapshotSegment& segment : segments)
      segments_[{segment.is_expandable, segment.stream, segment.kind, segment.address}] = &segment;
  }

  /// Null if there is none.
  const SnapshotSegment* last_within(const SegmentLife& life) const {
    const auto key = [&life](Address at) {
      return Key{life.is_expandable, life.stream, life.kind, at};
    };
    const auto behind = segments_.lower_bound(key(life.base + life.size));
    if (behind == segments_.begin()) return nullptr;
    const auto& [found, segment] = *std::prev(behind);
    return found >= key(life.base) ? segment : nullptr;
  }

 private:
  using Key = std::tuple<bool, StreamId, PoolKind, Address>;
  std::map<Key, const SnapshotSegment*> segments_;
};

/// Findings cost at most this much work: so many free blocks looked at, for each event and for the
/// history as a whole. A history that needs more is placed with fewer findings.
constexpr std::uint64_t work_of_findings = 4'000'000;
constexpr std::uint64_t findings_of_an_event = 200;

class PlacementWalk {
 public:
  /// `watcher`: null if none listens.
  PlacementWalk(const DeviceHistory& history, const StartedHistory& started,
                PlacementWatcher* watcher)
      : history_(history),
        start_(started.start),
        calls_(started.calls),
        whole_pools_(started.whole_pools),
        in_time_(started.in_time),
        settings_(&in_time_.at(0)),
        reservation_(started.reservation),
        least_reservation_(
            least_reservation(history, started.phases.front().settings.expandable_reserve)),
        kinds_(history, started.phases.back().settings),
        survivors_(pools_of_survivors(history)),
        work_left_(work_of_findings + findings_of_an_event * history.events.size()),
        watcher_(watcher) {
    facts_.life_of_event = traces::LongSequence<LifeIndex>(history.events.place());
  }

  Placements run() {
    adopt_start();
    if (watcher_ != nullptr) watcher_->begin(blocks_);
    for (std::size_t i = 0; i < calls_.size(); ++i) walk_call(i);
    note_life(history_.events.size(), no_life);
    name_pools();
    sort_apart();
    facts_.lives = std::move(blocks_.lives());
    return std::move(facts_);
  }

 private:
  struct Shape {
    /// The call's end where it got no new memory.
    std::size_t first_growth = 0;
    bool releases = false;
    bool completes = false;
  };
  struct Miss {
    PlacementRequest request;
    bool is_certain = true;
    std::vector<LifeIndex> serving_before;
  };

  void adopt_start() {
    for (std::size_t i = 0; i < start_.segments.size(); ++i) {
      const GivenSegment& given = start_.segments[i];
      SegmentLife life{given.base, given.size(), given.stream, given.kind, given.is_expandable, {}};
      life.pool = start_.known_pools[i];
      blocks_.add(life, given.blocks);
    }
    note_bases();
  }

  void walk_call(std::size_t index) {
    const RecordedCall& call = calls_[index];
    settings_ = &in_time_.at(index);
    if (call.kind == RecordedCallKind::free || call.kind == RecordedCallKind::free_later)
      walk_free(call);
    else
      walk_run(index);
  }

  void walk_free(const RecordedCall& call) {
    const Address at = history_.events[call.first].address;
    if (!blocks_.free(at)) return contradict(call.first);
    const std::size_t last = call.end - 1;
    if (call.first != last) tell(call.first);
    if (call.kind == RecordedCallKind::free) blocks_.complete(at);
    tell(last);
  }

  void walk_run(std::size_t index) {
    const RecordedCall& call = calls_[index];
    const bool is_request = call.kind == RecordedCallKind::request;
    const std::size_t end = is_request ? call.end - 1 : call.end;
    const bool is_placed = is_request && history_.events[end].action == Action::alloc;
    const Shape shape = shape_of(call);
    Miss miss;
    if (is_placed) {
      miss.request = request_at(end);
      if (shape.first_growth < end && !miss.request.pool)
        miss.request.pool = survivor_pool(shape.first_growth);
      miss.is_certain = !shape.releases || !shape.completes;
      if (!miss.is_certain && watcher_ == nullptr) miss.serving_before = serving(miss.request);
    }
    ReleaseRun run;
    run.call = index;
    run.is_own_call = call.kind == RecordedCallKind::release;
    for (std::size_t i = call.first; i < end; ++i) {
      const AllocatorEvent& event = history_.events[i];
      if (i == shape.first_growth) {
        note_left(run, shape);
        if (is_placed && watcher_ == nullptr) {
          const LifeIndex got = life_to_grow(i);
          if (!miss.request.pool && got < blocks_.lives().size())
            miss.request.pool = blocks_.lives()[got].pool;
          note_miss(miss, got);
          note_growth(i, miss.request);
        }
      }
      life_ = no_life;
      const bool has_place = walk_event(i);
      note_life(i, life_);
      if (has_place)
        tell(i);
      else
        contradict(i);
      if (is_release(event.action) && life_ != no_life)
        run.released.push_back(
            {life_, event.address, event.size, event.action == Action::segment_unmap});
    }
    if (shape.first_growth >= end) note_left(run, shape);
    if (!run.released.empty()) facts_.releases.push_back(std::move(run));
    if (is_placed) place(end, shape.first_growth < end);
  }

  bool walk_event(std::size_t index) {
    const AllocatorEvent& event = history_.events[index];
    LifeIndex& life = life_;
    switch (event.action) {
      case Action::free_completed:
        return blocks_.complete(event.address);
      case Action::segment_alloc: {
        const PoolKind kind = kinds_.at(index);
        life = blocks_.add(
            {event.address, event.size, event.stream, kind, false, survivor_pool(index), index},
            {{event.size, {}, GivenUse::free}});
        if (has_reservations_) note_bases();
        return true;
      }
      case Action::segment_free:
        if (const PlacedBlock* block = blocks_.find(event.address)) life = block->life;
        return life != no_life && blocks_.release(event.address, event.size, index);
      case Action::segment_map:
        return walk_map(index);
      case Action::segment_unmap:
        life = blocks_.reservation_around(event.address, event.stream);
        return life != no_life && blocks_.unmap(event.address, event.size, index);
      default:
        return true;
    }
  }

  bool walk_map(std::size_t index) {
    const AllocatorEvent& event = history_.events[index];
    LifeIndex& life = life_;
    life = blocks_.reservation_for(event.address, {event.stream, kinds_.at(index)});
    if (life == no_life) {
      const Bytes unit = expandable_unit(kinds_.at(index), *settings_);
      const Bytes size = round_up(reservation_, unit);
      life = blocks_.add({event.address, size, event.stream, kinds_.at(index), true, {}, index},
                         {{size, {}, GivenUse::unmapped}});
      note_bases();
    }
    return blocks_.map(event.address, event.size);
  }

  void place(std::size_t index, bool grew) {
    const AllocatorEvent& event = history_.events[index];
    const PlacedBlock* block = blocks_.find(event.address);
    const Bytes rounded = given_size(event.size);
    if (block == nullptr || block->use != GivenUse::free || block->size < rounded)
      return contradict(index);
    const LifeIndex life = block->life;
    note_life(index, life);
    SegmentLife& served_by = blocks_.lives()[life];
    ++served_by.request_count;
    served_by.last_request = index;
    // A walk that is watched has no use for the findings of searches.
    if (!grew && watcher_ == nullptr && !has_chosen_place(history_, index)) {
      PlacementRequest request = request_at(index);
      if (served_by.pool) request.pool = served_by.pool;
      note_search(request, event.address, life);
    }
    if (!served_by.pool)
      if (const auto pool = told_pool(history_, index)) blocks_.name_pool(life, *pool);
    blocks_.hand_out(event.address, handed_out_size(rounded, block->size, served_by));
    tell(index);
  }

  /// The life that the growth will be part of; a new one is the next number.
  LifeIndex life_to_grow(std::size_t index) {
    const AllocatorEvent& event = history_.events[index];
    LifeIndex life = no_life;
    if (event.action == Action::segment_map)
      life = blocks_.reservation_for(event.address, {event.stream, kinds_.at(index)});
    return life != no_life ? life : static_cast<LifeIndex>(blocks_.lives().size());
  }

  Shape shape_of(const RecordedCall& call) const {
    Shape shape;
    shape.first_growth = call.end;
    for (std::size_t i = call.first; i < call.end; ++i) {
      const Action action = history_.events[i].action;
      if (is_release(action)) shape.releases = true;
      if (action == Action::free_completed) shape.completes = true;
      if (is_segment_call(action) && !is_release(action) && shape.first_growth == call.end)
        shape.first_growth = i;
    }
    return shape;
  }

  /// A request as its `alloc` tells it.
  PlacementRequest request_at(std::size_t index) {
    const AllocatorEvent& event = history_.events[index];
    PlacementRequest request{given_size(event.size),
                             {event.stream, kinds_.at(index)},
                             std::nullopt,
                             settings_->expandable_segments};
    request.pool = told_pool(history_, index);
    return request;
  }

  /// The pool of a segment that this event got; empty if the final state does not say it.
  std::optional<PoolId> survivor_pool(std::size_t index) const {
    const auto found = survivors_.find(index);
    if (found == survivors_.end()) return std::nullopt;
    return found->second;
  }

  bool may_spend(std::uint64_t work) {
    work_left_ -= std::min(work_left_, work);
    return work_left_ > 0;
  }

  /// The free blocks that are large enough, of each life apart and in order: the blocks of a life
  /// are all in one set. Empty once the work is spent.
  std::map<LifeIndex, FreeList> rooms_for(const FreeSets& sets, const PlacementRequest& request) {
    std::map<LifeIndex, FreeList> rooms;
    for (const FreeSet* set : sets.sets)
      for (auto at = set->lower_bound({request.rounded, Address{0}}); at != set->end(); ++at) {
        if (!may_spend(1)) return {};
        rooms[blocks_.find(at->second)->life].blocks.push_back(*at);
      }
    return rooms;
  }

  /// Lives that would have served the request.
  std::vector<LifeIndex> serving(const PlacementRequest& request) {
    std::vector<LifeIndex> lives;
    const FreeSets sets{blocks_.free_blocks(request.wanted, request.pool)};
    if (!search_placements(blocks_, sets, request, *settings_)) return lives;
    for (const auto& [life, list] : rooms_for(sets, request))
      if (search_placements(blocks_, list, request, *settings_)) lives.push_back(life);
    return lives;
  }

  /// Keeps apart lives with a block that would have been chosen over the recorded block.
  void note_search(const PlacementRequest& request, Address at, LifeIndex life) {
    const FreeSets sets{blocks_.free_blocks(request.wanted, request.pool)};
    if (search_placements(blocks_, sets, request, *settings_) == at) return;
    const std::map<LifeIndex, FreeList> rooms = rooms_for(sets, request);
    const auto own = rooms.find(life);
    for (const auto& [other, list] : rooms) {
      if (other == life) continue;
      FreeList pair = list;
      if (own != rooms.end()) {
        if (!may_spend(own->second.blocks.size())) return;
        pair.blocks.insert(pair.blocks.end(), own->second.blocks.begin(), own->second.blocks.end());
        std::ranges::inplace_merge(
            pair.blocks, pair.blocks.begin() + static_cast<std::ptrdiff_t>(list.blocks.size()));
      }
      const auto found = search_placements(blocks_, pair, request, *settings_);
      if (found && *found != at && blocks_.find(*found)->life == other) keep_apart(life, other);
    }
  }

  /// A request that got new memory found nothing; lives that would have served it are in other
  /// pools. If frees were completed and memory was released, the search may have come before the
  /// frees.
  void note_miss(const Miss& miss, LifeIndex got) {
    for (const LifeIndex other : serving(miss.request)) {
      if (other == got) continue;
      const bool served_before = std::ranges::binary_search(miss.serving_before, other);
      if (miss.is_certain || served_before) keep_apart(got, other);
    }
  }

  /// Growth begins at the lowest place of the pool that has room: reservations with a lower one are
  /// in other pools.
  void note_growth(std::size_t index, const PlacementRequest& request) {
    const AllocatorEvent& event = history_.events[index];
    if (event.action != Action::segment_map) return;
    const LifeIndex grown = life_to_grow(index);
    const bool is_new = grown == blocks_.lives().size();
    for (const LifeIndex other : blocks_.reservations_of(request.wanted)) {
      const std::optional<PoolId>& pool = blocks_.lives()[other].pool;
      if (other == grown || (request.pool && pool && *request.pool != *pool)) continue;
      if (!may_spend(1)) return;
      const auto place = blocks_.place_to_grow(other, request.rounded);
      if (place && (is_new || *place < event.address)) keep_apart(grown, other);
    }
  }

  void note_left(ReleaseRun& run, const Shape& shape) {
    if (!shape.releases || watcher_ != nullptr) return;
    for (const LifeIndex life : blocks_.whole_free()) {
      if (!may_spend(1)) return;
      run.left.push_back(life);
    }
    for (const LifeIndex life : blocks_.reservations()) {
      if (!may_spend(1)) break;
      if (could_release_unit(life)) run.left.push_back(life);
    }
    std::ranges::sort(run.left);
  }

  /// Whether a unit of a reservation is free.
  bool could_release_unit(LifeIndex index) const {
    const SegmentLife& life = blocks_.lives()[index];
    const Bytes unit = expandable_unit(life.kind, *settings_);
    Address at = life.base;
    while (const PlacedBlock* block = blocks_.find(at)) {
      if (block->life != index) break;
      const Address end = at + block->size;
      if (block->use == GivenUse::free &&
          (end - life.base) / unit > (round_up(at - life.base, unit)) / unit)
        return true;
      at = end;
    }
    return false;
  }

  /// The smallest distance from a reservation to what lies behind it bounds how large they are: it
  /// is made of whole units.
  void note_bases() {
    const Bytes units[] = {expandable_unit(PoolKind::small, *settings_),
                           expandable_unit(PoolKind::large, *settings_)};
    if (!std::ranges::equal(units, units_of_distances_)) blocks_.renew_all_distances();
    std::ranges::copy(units, units_of_distances_.begin());
    has_reservations_ = has_reservations_ || !blocks_.reservations().empty();
    for (const LifeIndex one : blocks_.take_new_distances()) {
      const SegmentLife& life = blocks_.lives()[one];
      const std::optional<Address> behind = blocks_.next_base(one);
      if (!behind || !life.is_expandable) continue;
      const Bytes distance = *behind - life.base;
      const Bytes unit = units[static_cast<std::size_t>(life.kind)];
      if (distance >= least_reservation_)
        facts_.reservation = std::min(facts_.reservation, least_addresses(distance, unit));
    }
  }

  /// So many small units that so many addresses are made of when they are rounded up to `unit`. Few
  /// devices have exactly as many as a large unit rounds to.
  static Bytes least_addresses(Bytes distance, Bytes unit) {
    const Bytes whole = unit * (distance / unit);
    return unit > allocator::small_segment ? whole - allocator::small_segment : whole;
  }

  void tell(std::size_t event) {
    if (watcher_ != nullptr) watcher_->event_done(event, blocks_);
  }

  void contradict(std::size_t event) {
    if (!facts_.contradiction.empty()) return;
    facts_.contradiction = "event " + std::to_string(event) + ", " +
                           event_text(history_.events[event]) +
                           ", has no place among the blocks before it";
  }

  /// Events come in order; those between them have none. A walk that is watched is not the first.
  void note_life(std::size_t event, LifeIndex life) {
    if (watcher_ != nullptr) return;
    traces::LongSequence<LifeIndex>& lives = facts_.life_of_event;
    while (lives.size() < event) lives.push_back(no_life);
    if (event < history_.events.size()) lives.push_back(life);
  }

  /// Most pairs are found again and again.
  void keep_apart(LifeIndex a, LifeIndex b) {
    constexpr std::size_t most_unsorted = 65'536;
    facts_.apart.emplace_back(std::min(a, b), std::max(a, b));
    if (facts_.apart.size() >= 2 * sorted_apart_ + most_unsorted) sort_apart();
  }
  void sort_apart() {
    std::ranges::sort(facts_.apart);
    const auto repeated = std::ranges::unique(facts_.apart);
    facts_.apart.erase(repeated.begin(), repeated.end());
    sorted_apart_ = facts_.apart.size();
  }

  void name_pools() {
    if (!history_.traits.segments_say_pool) return;
    const FinalSegments segments(history_.final_segments);
    for (const LifeIndex index : blocks_.living()) {
      SegmentLife& life = blocks_.lives()[index];
      if (const SnapshotSegment* last = segments.last_within(life)) life.pool = last->pool;
    }
  }

  Bytes given_size(Bytes requested) const {
    return history_.traits.has_whole_blocks ? requested : round_request(requested, *settings_);
  }

  Bytes handed_out_size(Bytes rounded, Bytes block, const SegmentLife& life) const {
    const bool is_whole = life.pool && whole_pools_.contains(*life.pool);
    if (is_whole || history_.traits.has_whole_blocks) return block;
    using allocator::Mode;
    const Mode mode = settings_->expandable_segments ? Mode::expandable : Mode::classic;
    const auto rule = split_rule_of(life.kind, mode);
    return is_split_off(block, rounded, rule, *settings_) ? rounded : block;
  }

  const DeviceHistory& history_;
  const StartingState& start_;
  const RecordedCalls& calls_;
  const std::set<PoolId>& whole_pools_;
  const SettingsInTime& in_time_;
  /// The settings in force at the call that is being walked.
  const Settings* settings_;
  Bytes reservation_;
  Bytes least_reservation_;
  RequestKinds kinds_;
  /// The pools of segments by the event that got them.
  std::map<std::size_t, PoolId> survivors_;
  std::uint64_t work_left_;
  /// How many of the pairs kept apart are sorted.
  std::size_t sorted_apart_ = 0;
  /// Expandable segments were seen.
  bool has_reservations_ = false;
  /// The units that the distances of reservations were measured in.
  std::array<Bytes, 2> units_of_distances_{};
  /// The life of the event that is being walked.
  LifeIndex life_ = no_life;
  PlacementBlocks blocks_;
  Placements facts_;
  PlacementWatcher* watcher_;
};

/// The driver and the program's own code keep so much of a small device, at most.
constexpr Bytes most_kept{std::uint64_t{1} << 30};

/// The reservation of an expandable segment if the options or an out-of-memory tell it. A part of a
/// real device's memory cannot be had, so reservations by its size are somewhat larger.
Bytes told_reservation(const DeviceRoom& room, Bytes distance, const allocator::Reserve& reserve) {
  const Bytes total = room.total.value_or(allocator::request_limit);
  const Bytes told = reservation_size(total, allocator::small_segment, reserve);
  const bool is_size = reserve && reserve->unit == allocator::AddressReserve::Unit::gibibytes &&
                       told < reservation_size(total, allocator::small_segment);
  if (is_size) return told;
  if (!room.total) return distance;
  const std::uint64_t most_more = std::max(told.count / 16, most_kept.count);
  const bool is_near = distance >= told && distance.count - told.count <= most_more;
  return is_near ? distance : told;
}

}  // namespace

namespace {

/// The beginning without the starting state, which depends on the reservation.
StartedHistory begin_history(const DeviceHistory& history, SettingsPhases phases,
                             const ReferenceVersion& version) {
  StartedHistory started;
  started.phases = std::move(phases);
  started.room = room_of(history);
  started.calls = cut_into_calls(history, started.room);
  started.in_time =
      SettingsInTime(history, started.calls, started.phases, version.private_segments);
  started.whole_pools = find_whole_pools(history, started.phases.front().settings);
  started.reservation = told_reservation(started.room, started.reservation,
                                         started.phases.front().settings.expandable_reserve);
  return started;
}

}  // namespace

StartedHistory start_history(const DeviceHistory& history, SettingsPhases phases,
                             const ReferenceVersion& version) {
  if (has_rare_event(history, Action::segment_map)) {
    PlacedHistory placed = place_history(history, std::move(phases), version);
    return static_cast<StartedHistory&&>(placed);
  }
  StartedHistory started = begin_history(history, std::move(phases), version);
  started.start =
      find_starting_state(history, started.phases.front().settings, started.reservation);
  return started;
}

/// Walks twice if reservations have a known size, which bounds how far they reach.
PlacedHistory place_history(const DeviceHistory& history, SettingsPhases phases,
                            const ReferenceVersion& version) {
  PlacedHistory placed;
  static_cast<StartedHistory&>(placed) = begin_history(history, std::move(phases), version);
  const allocator::Reserve reserve = placed.phases.front().settings.expandable_reserve;
  for (int round = 0; round < 2; ++round) {
    placed.start = find_starting_state(history, placed.phases.front().settings, placed.reservation);
    placed.placements = PlacementWalk(history, placed, nullptr).run();
    placed.placements.reservation =
        told_reservation(placed.room, placed.placements.reservation, reserve);
    if (placed.placements.reservation == placed.reservation || round == 1) break;
    placed.reservation = placed.placements.reservation;
  }
  return placed;
}

std::optional<Bytes> PlacedHistory::shown_device() const {
  if (placements.reservation == unknown_reservation) return std::nullopt;
  return allocator::device_total_for(placements.reservation,
                                     phases.front().settings.expandable_reserve);
}

bool PlacedHistory::exceeds_reserve(Bytes rounded, const Settings& settings) const {
  if (!settings.expandable_segments || !settings.expandable_reserve) return false;
  return allocator::is_beyond(rounded, placements.reservation, settings);
}

bool PlacedHistory::exceeds_reserve(const DeviceHistory& history, std::size_t event) const {
  if (phases.empty()) return false;
  auto phase = std::ranges::upper_bound(phases, event, {}, &SettingsPhase::first_event);
  return exceeds_reserve(history.events[event].size, std::prev(phase)->settings);
}

void watch_placements(const DeviceHistory& history, const StartedHistory& started,
                      PlacementWatcher& watcher) {
  PlacementWalk(history, started, &watcher).run();
}

LifeIndex PlacementBlocks::add(const SegmentLife& life, const std::vector<GivenBlock>& blocks) {
  const auto index = static_cast<LifeIndex>(lives_.size());
  lives_.push_back(life);
  living_.insert(index);
  by_base_.emplace(life.base, index);
  note_distances_up_to(life.base);
  if (life.is_expandable) {
    reservations_.emplace(life.stream, life.base, index);
    reservations_by_class_[class_of(index)].insert(index);
    living_reservations_.insert(index);
    largest_reservation_ = std::max(largest_reservation_, life.size);
  }
  Address at = life.base;
  for (const GivenBlock& block : blocks) {
    enter(put(blocks_.lower_bound(at), at, {block.size, index, block.use}), block.use);
    at = at + block.size;
  }
  return index;
}

auto PlacementBlocks::place_of(Address at) -> Place {
  if (latest_ == blocks_.end() || latest_->first != at) latest_ = blocks_.find(at);
  return latest_;
}

/// Replaces a block in the way, which cannot have been there. `next`: the block behind the place.
auto PlacementBlocks::put(Place next, Address at, const PlacedBlock& block) -> Place {
  const std::size_t count = blocks_.size();
  Place place;
  if (spare_block_) {
    spare_block_.key() = at;
    spare_block_.mapped() = block;
    place = blocks_.insert(next, std::move(spare_block_));
  } else {
    place = blocks_.try_emplace(next, at, block);
  }
  if (blocks_.size() == count) {
    leave(place);
    place->second = block;
  }
  return place;
}

void PlacementBlocks::remove(Place block) {
  if (latest_ == block) latest_ = blocks_.end();
  spare_block_ = blocks_.extract(block);
}

const PlacedBlock* PlacementBlocks::find(Address at) const {
  if (latest_ != blocks_.end() && latest_->first == at) return &latest_->second;
  const auto found = blocks_.find(at);
  return found == blocks_.end() ? nullptr : &found->second;
}

std::vector<const PlacementBlocks::FreeSet*> PlacementBlocks::free_blocks(
    Class wanted, std::optional<PoolId> pool) const {
  std::vector<const FreeSet*> sets;
  auto at = free_.lower_bound({wanted, std::nullopt});
  if (!pool) {
    for (; at != free_.end() && at->first.of == wanted; ++at) sets.push_back(&at->second);
    return sets;
  }
  if (at != free_.end() && at->first == Group{wanted, std::nullopt}) sets.push_back(&at->second);
  if (const auto known = free_.find({wanted, pool}); known != free_.end())
    sets.push_back(&known->second);
  return sets;
}

void PlacementBlocks::note_largest(Bytes before, const FreeSet& set) {
  const Bytes now = set.empty() ? Bytes{} : set.rbegin()->first;
  if (now == before) return;
  if (before > Bytes{}) largest_.erase(largest_.find(before));
  if (now > Bytes{}) largest_.insert(now);
}

void PlacementBlocks::add_free(Place block) {
  const LifeIndex life = block->second.life;
  FreeSet& set = free_[{class_of(life), lives_[life].pool}];
  const Bytes largest = set.empty() ? Bytes{} : set.rbegin()->first;
  const FreeSet::value_type place{block->second.size, block->first};
  if (spare_free_) {
    spare_free_.value() = place;
    set.insert(std::move(spare_free_));
  } else {
    set.insert(place);
  }
  note_largest(largest, set);
  if (block->second.size == lives_[life].size && !lives_[life].is_expandable)
    whole_free_.insert(life);
}

/// A pool that is named and has nothing free is left out: there can be many.
void PlacementBlocks::remove_free(Place block) {
  const LifeIndex life = block->second.life;
  const auto group = free_.find({class_of(life), lives_[life].pool});
  check(group != free_.end() && !group->second.empty(), "a free block is among those of its pool");
  FreeSet& set = group->second;
  const Bytes largest = set.rbegin()->first;
  spare_free_ = set.extract({block->second.size, block->first});
  note_largest(largest, set);
  if (set.empty() && group->first.pool && *group->first.pool != default_pool) free_.erase(group);
  if (block->second.size == lives_[life].size) whole_free_.erase(life);
}

void PlacementBlocks::name_pool(LifeIndex index, PoolId pool) {
  SegmentLife& life = lives_[index];
  const auto end = blocks_.lower_bound(life.base + life.size);
  std::vector<Place> free;
  for (auto at = blocks_.lower_bound(life.base); at != end; ++at)
    if (at->second.life == index && at->second.use == GivenUse::free) free.push_back(at);
  for (const Place block : free) remove_free(block);
  life.pool = pool;
  for (const Place block : free) add_free(block);
}

void PlacementBlocks::note_distances_up_to(Address base) {
  for (const Address behind : {base, base + Bytes{1}}) {
    const auto at = by_base_.lower_bound({behind, 0});
    if (at != by_base_.begin()) new_distances_.insert(std::prev(at)->second);
  }
}

std::optional<Address> PlacementBlocks::next_base(LifeIndex life) const {
  const Address base = lives_[life].base;
  const auto at = by_base_.lower_bound({base + Bytes{1}, 0});
  // The last one counts of several lives with one base.
  if (at == by_base_.begin() || std::prev(at)->second != life || at == by_base_.end())
    return std::nullopt;
  return at->first;
}

auto PlacementBlocks::neighbour_after(Place block) -> Place {
  const Address end = block->first + block->second.size;
  Place next = std::next(block);
  // Blocks of a history that contradicts itself may overlap.
  if (next != blocks_.end() && next->first < end) next = blocks_.find(end);
  const bool touches = next != blocks_.end() && next->first == end;
  return touches && next->second.life == block->second.life ? next : blocks_.end();
}

auto PlacementBlocks::neighbour_before(Place block) -> Place {
  if (block == blocks_.begin()) return blocks_.end();
  const auto before = std::prev(block);
  return before->second.life == block->second.life &&
                 before->first + before->second.size == block->first
             ? before
             : blocks_.end();
}

void PlacementBlocks::enter(Place block, GivenUse use) {
  block->second.use = use;
  if (use == GivenUse::free) add_free(block);
  if (use == GivenUse::unmapped) unmapped_.emplace(block->second.life, block->first);
}

void PlacementBlocks::leave(Place block) {
  if (block->second.use == GivenUse::free) remove_free(block);
  if (block->second.use == GivenUse::unmapped) unmapped_.erase({block->second.life, block->first});
}

/// Requires: the block is in no set. Returns the rest, which is in none either.
auto PlacementBlocks::cut(Place block, Bytes front) -> Place {
  PlacedBlock rest = block->second;
  rest.size = rest.size - front;
  block->second.size = front;
  return put(std::next(block), block->first + front, rest);
}

/// Merges with neighbours of the same use and enters the set. Requires: the block is in no set.
auto PlacementBlocks::join(Place block, GivenUse use) -> Place {
  if (const Place next = neighbour_after(block); next != blocks_.end() && next->second.use == use) {
    leave(next);
    block->second.size += next->second.size;
    remove(next);
  }
  if (const Place before = neighbour_before(block);
      before != blocks_.end() && before->second.use == use) {
    leave(before);
    before->second.size += block->second.size;
    remove(block);
    block = before;
  }
  enter(block, use);
  return block;
}

bool PlacementBlocks::hand_out(Address at, Bytes size) {
  const Place block = place_of(at);
  if (block == blocks_.end() || block->second.use != GivenUse::free || block->second.size < size)
    return false;
  leave(block);
  if (block->second.size > size) enter(cut(block, size), GivenUse::free);
  block->second.use = GivenUse::live;
  return true;
}

bool PlacementBlocks::free(Address at) {
  const Place block = place_of(at);
  if (block == blocks_.end() || block->second.use != GivenUse::live) return false;
  block->second.use = GivenUse::waiting;
  return true;
}

bool PlacementBlocks::complete(Address at) {
  const Place block = place_of(at);
  if (block == blocks_.end() || block->second.use != GivenUse::waiting) return false;
  join(block, GivenUse::free);
  return true;
}

bool PlacementBlocks::is_whole(Address at) const {
  const auto block = blocks_.find(at);
  const SegmentLife& life = lives_[block->second.life];
  return block->first == life.base && block->second.size == life.size;
}

void PlacementBlocks::end_life(LifeIndex life, std::size_t event) {
  lives_[life].end = event;
  living_.erase(life);
  const SegmentLife& ended = lives_[life];
  by_base_.erase({ended.base, life});
  new_distances_.erase(life);
  note_distances_up_to(ended.base);
  if (!ended.is_expandable) return;
  reservations_.erase({ended.stream, ended.base, life});
  reservations_by_class_[class_of(life)].erase(life);
  living_reservations_.erase(life);
}

bool PlacementBlocks::release(Address at, Bytes size, std::size_t event) {
  const Place block = place_of(at);
  if (block == blocks_.end() || block->second.use != GivenUse::free || block->second.size != size ||
      !is_whole(at) || lives_[block->second.life].is_expandable)
    return false;
  leave(block);
  end_life(block->second.life, event);
  remove(block);
  return true;
}

bool PlacementBlocks::map(Address at, Bytes size) {
  const Place block = place_of(at);
  if (block == blocks_.end() || block->second.use != GivenUse::unmapped ||
      block->second.size < size)
    return false;
  leave(block);
  if (block->second.size > size) enter(cut(block, size), GivenUse::unmapped);
  join(block, GivenUse::free);
  return true;
}

bool PlacementBlocks::unmap(Address at, Bytes size, std::size_t event) {
  auto block = blocks_.upper_bound(at);
  if (block == blocks_.begin()) return false;
  --block;
  if (block->second.use != GivenUse::free || !lives_[block->second.life].is_expandable ||
      block->first + block->second.size < at + size)
    return false;
  leave(block);
  if (block->first < at) {
    const Place rest = cut(block, at - block->first);
    enter(block, GivenUse::free);
    block = rest;
  }
  if (block->second.size > size) enter(cut(block, size), GivenUse::free);
  block = join(block, GivenUse::unmapped);
  if (is_whole(block->first)) {
    leave(block);
    end_life(block->second.life, event);
    remove(block);
  }
  return true;
}

Bytes PlacementBlocks::reach(Address at) const {
  const auto block = blocks_.find(at);
  const auto next = blocks_.find(at + block->second.size);
  const bool grows = next != blocks_.end() && next->second.life == block->second.life &&
                     next->second.use == GivenUse::unmapped;
  return grows ? block->second.size + next->second.size : block->second.size;
}

/// The size of the free block of the same life right before a block; 0 if there is none.
Bytes PlacementBlocks::free_before(std::map<Address, PlacedBlock>::const_iterator block) const {
  if (block == blocks_.begin()) return {};
  const auto& [at, before] = *std::prev(block);
  const bool is_free = before.life == block->second.life && before.use == GivenUse::free &&
                       at + before.size == block->first;
  return is_free ? before.size : Bytes{};
}

/// Free and unmapped blocks take turns in a run.
std::optional<Address> PlacementBlocks::place_to_grow(LifeIndex index, Bytes size) const {
  const auto follower = [this, index](Address at, GivenUse use) {
    const auto found = blocks_.find(at);
    const bool follows =
        found != blocks_.end() && found->second.life == index && found->second.use == use;
    return follows ? found->second.size : Bytes{};
  };
  Address end_of_run;
  Address first;
  Bytes run;
  for (auto at = unmapped_.lower_bound({index, Address{}});
       at != unmapped_.end() && at->first == index; ++at) {
    const Address begin = at->second;
    const auto block = blocks_.find(begin);
    if (run == Bytes{} || begin != end_of_run) {
      run = free_before(block);
      first = begin;
    }
    const Bytes unmapped = block->second.size;
    const Bytes free = follower(begin + unmapped, GivenUse::free);
    run += unmapped + free;
    if (run >= size) return first;
    end_of_run = begin + unmapped + free;
  }
  return std::nullopt;
}

LifeIndex PlacementBlocks::reservation_around(Address at, StreamId stream) const {
  auto one = reservations_.upper_bound({stream, at, no_life});
  while (one != reservations_.begin()) {
    const auto& [of_stream, base, life] = *--one;
    if (of_stream != stream || at >= base + largest_reservation_) break;
    if (at < base + lives_[life].size) return life;
  }
  return no_life;
}

const std::set<LifeIndex>& PlacementBlocks::reservations_of(Class wanted) const {
  const auto found = reservations_by_class_.find(wanted);
  return found == reservations_by_class_.end() ? none_ : found->second;
}

LifeIndex PlacementBlocks::reservation_for(Address at, Class wanted) const {
  const auto block = blocks_.find(at);
  if (block == blocks_.end() || block->second.use != GivenUse::unmapped) return no_life;
  const LifeIndex life = block->second.life;
  return class_of(life) == wanted ? life : no_life;
}

}  // namespace vramlab::replay
