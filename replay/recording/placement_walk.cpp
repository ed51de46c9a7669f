#include "replay/recording/placement_walk.h"

#include <algorithm>

#include "allocator/options/size_rules.h"
#include "allocator/policy/best_fit.h"

namespace vramlab::replay {
namespace {

using allocator::Settings;
using FreeSet = PlacementBlocks::FreeSet;

/// A search for a free block among placed blocks.
struct PlacementRequest {
  Bytes rounded;
  PlacementBlocks::Class wanted;
  bool expandable_on = false;
};

/// The free blocks of a class in the order in which find_best_fit() looks at them.
class PlacementSearch {
 public:
  using Place = FreeSet::const_iterator;
  PlacementSearch(const PlacementBlocks& blocks, const PlacementRequest& request,
                  const std::vector<LifeIndex>* among)
      : blocks_(blocks), set_(blocks.free_blocks(request.wanted)), among_(among) {}

  Place first(Bytes rounded) const { return skip(set_.lower_bound({rounded, Address{0}})); }
  Place next(Place at) const { return skip(std::next(at)); }
  Place end() const { return set_.end(); }
  bool is_over(Place at) const { return at == set_.end(); }
  static Bytes size_of(Place at) { return at->first; }
  bool is_expandable(Place at) const {
    return blocks_.lives()[blocks_.find(at->second)->life].is_expandable;
  }
  bool can_grow(Place at) const { return blocks_.reach(at->second) > at->first; }
  bool reaches_as_far(Place at, Place other) const {
    return blocks_.reach(at->second) >= blocks_.reach(other->second);
  }

 private:
  Place skip(Place at) const {
    while (at != set_.end() && among_ != nullptr &&
           std::ranges::find(*among_, blocks_.find(at->second)->life) == among_->end())
      ++at;
    return at;
  }

  const PlacementBlocks& blocks_;
  const FreeSet& set_;
  const std::vector<LifeIndex>* among_;
};

/// The block that a request would get. Searches all lives, or only those in `among`.
std::optional<Address> search_placements(const PlacementBlocks& blocks,
                                         const PlacementRequest& request,
                                         const allocator::Settings& settings,
                                         const std::vector<LifeIndex>* among = nullptr) {
  const PlacementSearch search(blocks, request, among);
  const auto mode = request.expandable_on ? allocator::Mode::expandable : allocator::Mode::classic;
  const auto at = find_best_fit(search, request.rounded, mode, settings);
  if (search.is_over(at)) return std::nullopt;
  return at->second;
}

/// Lives with a free block that is large enough.
std::vector<LifeIndex> lives_with_room(const PlacementBlocks& blocks,
                                       const PlacementRequest& request) {
  std::vector<LifeIndex> lives;
  const FreeSet& set = blocks.free_blocks(request.wanted);
  for (auto at = set.lower_bound({request.rounded, Address{0}}); at != set.end(); ++at)
    lives.push_back(blocks.find(at->second)->life);
  std::sort(lives.begin(), lives.end());
  lives.erase(std::unique(lives.begin(), lives.end()), lives.end());
  return lives;
}

class PlacementWalk {
 public:
  /// `watcher`: null if none listens.
  PlacementWalk(const DeviceHistory& history, const StartedHistory& started,
                PlacementWatcher* watcher)
      : history_(history),
        start_(started.start),
        calls_(started.calls),
        in_time_(history, started.calls, started.phases, started.private_segments),
        settings_(&in_time_.at(0)),
        reservation_(started.reservation),
        least_reservation_(
            least_reservation(history, started.phases.front().settings.expandable_reserve)),
        kinds_(request_kinds(history, started.phases.back().settings)),
        watcher_(watcher) {
    facts_.life_of_event = traces::LongSequence<LifeIndex>(history.events.place());
  }

  Placements run() {
    adopt_start();
    if (watcher_ != nullptr) watcher_->begin(blocks_);
    for (std::size_t i = 0; i < calls_.size(); ++i) walk_call(i);
    note_life(history_.events.size(), no_life);
    name_pools();
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
      miss.request = {given_size(history_.events[end].size),
                      {history_.events[end].stream, kinds_[end]},
                      settings_->expandable_segments};
      miss.is_certain = !shape.releases || !shape.completes;
      if (!miss.is_certain) miss.serving_before = serving(miss.request);
    }
    ReleaseRun run;
    run.call = index;
    run.is_own_call = call.kind == RecordedCallKind::release;
    for (std::size_t i = call.first; i < end; ++i) {
      const AllocatorEvent& event = history_.events[i];
      if (i == shape.first_growth) {
        note_left(run, shape);
        if (is_placed && watcher_ == nullptr) {
          note_miss(miss, life_to_grow(i));
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
        const PoolKind kind = kinds_[index];
        life = blocks_.add({event.address, event.size, event.stream, kind, false, {}, index},
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
        for (const LifeIndex one : blocks_.living()) {
          const SegmentLife& candidate = blocks_.lives()[one];
          if (candidate.is_expandable && candidate.base <= event.address &&
              event.address < candidate.base + candidate.size && candidate.stream == event.stream &&
              (life == no_life || blocks_.lives()[life].base < candidate.base))
            life = one;
        }
        return life != no_life && blocks_.unmap(event.address, event.size, index);
      default:
        return true;
    }
  }

  bool walk_map(std::size_t index) {
    const AllocatorEvent& event = history_.events[index];
    LifeIndex& life = life_;
    life = blocks_.reservation_for(event.address, {event.stream, kinds_[index]});
    if (life == no_life) {
      const Bytes unit = expandable_unit(kinds_[index], *settings_);
      const Bytes size = round_up(reservation_, unit);
      life = blocks_.add({event.address, size, event.stream, kinds_[index], true, {}, index},
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
    // A walk that is watched has no use for the findings of searches.
    if (!grew && watcher_ == nullptr)
      note_search({rounded, {event.stream, kinds_[index]}, settings_->expandable_segments},
                  event.address, life);
    if (history_.traits.names_pools && !blocks_.lives()[life].pool)
      blocks_.lives()[life].pool = event.pool;
    blocks_.hand_out(event.address, handed_out_size(rounded, block->size, blocks_.lives()[life]));
    tell(index);
  }

  /// The life that the growth will be part of; a new one is the next number.
  LifeIndex life_to_grow(std::size_t index) const {
    const AllocatorEvent& event = history_.events[index];
    LifeIndex life = no_life;
    if (event.action == Action::segment_map)
      life = blocks_.reservation_for(event.address, {event.stream, kinds_[index]});
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

  /// Lives that would have served the request.
  std::vector<LifeIndex> serving(const PlacementRequest& request) const {
    std::vector<LifeIndex> lives;
    if (!search_placements(blocks_, request, *settings_)) return lives;
    for (const LifeIndex life : lives_with_room(blocks_, request)) {
      const std::vector<LifeIndex> alone{life};
      if (search_placements(blocks_, request, *settings_, &alone)) lives.push_back(life);
    }
    return lives;
  }

  /// Keeps apart lives with a block that would have been chosen over the recorded block.
  void note_search(const PlacementRequest& request, Address at, LifeIndex life) {
    if (search_placements(blocks_, request, *settings_) == at) return;
    for (const LifeIndex other : lives_with_room(blocks_, request)) {
      if (other == life) continue;
      const std::vector<LifeIndex> pair{life, other};
      const auto found = search_placements(blocks_, request, *settings_, &pair);
      if (found && *found != at && blocks_.find(*found)->life == other) keep_apart(life, other);
    }
  }

  /// A request that got new memory found nothing; lives that would have served it are in other
  /// pools. If frees were completed and memory was released, the search may have come before the
  /// frees.
  void note_miss(const Miss& miss, LifeIndex got) {
    std::vector<LifeIndex> others = serving(miss.request);
    for (const LifeIndex other : others) {
      if (other == got) continue;
      const bool served_before =
          std::ranges::find(miss.serving_before, other) != miss.serving_before.end();
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
    for (const LifeIndex other : blocks_.living()) {
      if (other == grown || !blocks_.lives()[other].is_expandable ||
          blocks_.class_of(other) != request.wanted)
        continue;
      const auto place = blocks_.place_to_grow(other, request.rounded);
      if (place && (is_new || *place < event.address)) keep_apart(grown, other);
    }
  }

  void note_left(ReleaseRun& run, const Shape& shape) const {
    if (!shape.releases || watcher_ != nullptr) return;
    for (const LifeIndex life : blocks_.living())
      if (could_release(life)) run.left.push_back(life);
  }

  bool could_release(LifeIndex index) const {
    const SegmentLife& life = blocks_.lives()[index];
    const Bytes unit = expandable_unit(life.kind, *settings_);
    Address at = life.base;
    while (const PlacedBlock* block = blocks_.find(at)) {
      if (block->life != index) break;
      const Address end = at + block->size;
      if (block->use == GivenUse::free && !life.is_expandable) return block->size == life.size;
      if (block->use == GivenUse::free &&
          (end - life.base) / unit > (round_up(at - life.base, unit)) / unit)
        return true;
      if (!life.is_expandable) return false;
      at = end;
    }
    return false;
  }

  /// The smallest distance from a reservation to what lies behind it bounds how large they are: it
  /// is made of whole units.
  void note_bases() {
    std::map<Address, const SegmentLife*> by_base;
    for (const LifeIndex life : blocks_.living())
      by_base[blocks_.lives()[life].base] = &blocks_.lives()[life];
    for (auto one = by_base.begin(); one != by_base.end(); ++one) {
      const auto behind = std::next(one);
      const SegmentLife& life = *one->second;
      has_reservations_ = has_reservations_ || life.is_expandable;
      if (behind == by_base.end() || !life.is_expandable) continue;
      const Bytes distance = behind->first - one->first;
      const Bytes unit = expandable_unit(life.kind, *settings_);
      if (distance >= least_reservation_)
        facts_.reservation = std::min(facts_.reservation, unit * (distance / unit));
    }
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

  void keep_apart(LifeIndex a, LifeIndex b) {
    facts_.apart.emplace(std::min(a, b), std::max(a, b));
  }

  void name_pools() {
    for (const LifeIndex index : blocks_.living()) {
      SegmentLife& life = blocks_.lives()[index];
      for (const SnapshotSegment& segment : history_.final_segments)
        if (segment.is_expandable == life.is_expandable && life.base <= segment.address &&
            segment.address < life.base + life.size && segment.stream == life.stream &&
            segment.kind == life.kind && history_.traits.segments_say_pool)
          life.pool = segment.pool;
    }
  }

  Bytes given_size(Bytes requested) const {
    return history_.traits.has_whole_blocks ? requested : round_request(requested, *settings_);
  }

  Bytes handed_out_size(Bytes rounded, Bytes block, const SegmentLife& life) const {
    if (history_.traits.has_whole_blocks) return block;
    using allocator::Mode;
    const Mode mode = settings_->expandable_segments ? Mode::expandable : Mode::classic;
    const auto rule = split_rule_of(life.kind, mode);
    return is_split_off(block, rounded, rule, *settings_) ? rounded : block;
  }

  const DeviceHistory& history_;
  const StartingState& start_;
  const RecordedCalls& calls_;
  SettingsInTime in_time_;
  /// The settings in force at the call that is being walked.
  const Settings* settings_;
  Bytes reservation_;
  Bytes least_reservation_;
  traces::LongSequence<PoolKind> kinds_;
  /// Expandable segments were seen.
  bool has_reservations_ = false;
  /// The life of the event that is being walked.
  LifeIndex life_ = no_life;
  PlacementBlocks blocks_;
  Placements facts_;
  PlacementWatcher* watcher_;
};

/// The reservation of an expandable segment if the options or an out-of-memory tell it. A part of a
/// real device's memory cannot be had, so reservations by its size are somewhat larger.
Bytes told_reservation(const DeviceRoom& room, Bytes distance, const allocator::Reserve& reserve) {
  const Bytes total = room.total.value_or(allocator::request_limit);
  const Bytes told = reservation_size(total, allocator::small_segment, reserve);
  const bool is_size = reserve && reserve->unit == allocator::AddressReserve::Unit::gibibytes &&
                       told < reservation_size(total, allocator::small_segment);
  if (is_size) return told;
  if (!room.total) return distance;
  const bool is_near = distance >= told && distance.count - told.count <= told.count / 16;
  return is_near ? distance : told;
}

}  // namespace

namespace {

/// The beginning without the starting state, which depends on the reservation.
StartedHistory begin_history(const DeviceHistory& history, SettingsPhases phases,
                             const ReferenceVersion& version) {
  StartedHistory started;
  started.phases = std::move(phases);
  started.private_segments = version.private_segments;
  started.room = room_of(history);
  started.calls = cut_into_calls(history, started.room);
  started.reservation = told_reservation(started.room, started.reservation,
                                         started.phases.front().settings.expandable_reserve);
  return started;
}

}  // namespace

StartedHistory start_history(const DeviceHistory& history, SettingsPhases phases,
                             const ReferenceVersion& version) {
  const bool maps_memory = std::ranges::any_of(history.events, [](const AllocatorEvent& event) {
    return event.action == Action::segment_map;
  });
  if (maps_memory) {
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
  const Bytes unit = expandable_unit(allocator::pool_kind_of(rounded), settings);
  return rounded > round_up(placements.reservation, unit);
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
  Address at = life.base;
  for (const GivenBlock& block : blocks) {
    enter(put(at, {block.size, index, block.use}), block.use);
    at = at + block.size;
  }
  return index;
}

/// Removes a block in the way, which cannot have been there.
auto PlacementBlocks::put(Address at, const PlacedBlock& block) -> Place {
  if (const Place before = blocks_.find(at); before != blocks_.end()) leave(before);
  return blocks_.insert_or_assign(at, block).first;
}

const PlacedBlock* PlacementBlocks::find(Address at) const {
  const auto found = blocks_.find(at);
  return found == blocks_.end() ? nullptr : &found->second;
}

const PlacementBlocks::FreeSet& PlacementBlocks::free_blocks(Class wanted) const {
  const auto found = free_.find(wanted);
  return found == free_.end() ? none_ : found->second;
}

auto PlacementBlocks::neighbour_after(Place block) -> Place {
  const auto next = blocks_.find(block->first + block->second.size);
  return next != blocks_.end() && next->second.life == block->second.life ? next : blocks_.end();
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
  if (use == GivenUse::free)
    free_[class_of(block->second.life)].insert({block->second.size, block->first});
}

void PlacementBlocks::leave(Place block) {
  if (block->second.use == GivenUse::free)
    free_[class_of(block->second.life)].erase({block->second.size, block->first});
}

/// Requires: the block is in no set. Returns the rest, which is in none either.
auto PlacementBlocks::cut(Place block, Bytes front) -> Place {
  PlacedBlock rest = block->second;
  rest.size = rest.size - front;
  block->second.size = front;
  return put(block->first + front, rest);
}

/// Merges with neighbours of the same use and enters the set. Requires: the block is in no set.
auto PlacementBlocks::join(Place block, GivenUse use) -> Place {
  if (const Place next = neighbour_after(block); next != blocks_.end() && next->second.use == use) {
    leave(next);
    block->second.size += next->second.size;
    blocks_.erase(next);
  }
  if (const Place before = neighbour_before(block);
      before != blocks_.end() && before->second.use == use) {
    leave(before);
    before->second.size += block->second.size;
    blocks_.erase(block);
    block = before;
  }
  enter(block, use);
  return block;
}

bool PlacementBlocks::hand_out(Address at, Bytes size) {
  const Place block = blocks_.find(at);
  if (block == blocks_.end() || block->second.use != GivenUse::free || block->second.size < size)
    return false;
  leave(block);
  if (block->second.size > size) enter(cut(block, size), GivenUse::free);
  block->second.use = GivenUse::live;
  return true;
}

bool PlacementBlocks::free(Address at) {
  const Place block = blocks_.find(at);
  if (block == blocks_.end() || block->second.use != GivenUse::live) return false;
  block->second.use = GivenUse::waiting;
  return true;
}

bool PlacementBlocks::complete(Address at) {
  const Place block = blocks_.find(at);
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
}

bool PlacementBlocks::release(Address at, Bytes size, std::size_t event) {
  const Place block = blocks_.find(at);
  if (block == blocks_.end() || block->second.use != GivenUse::free || block->second.size != size ||
      !is_whole(at) || lives_[block->second.life].is_expandable)
    return false;
  leave(block);
  end_life(block->second.life, event);
  blocks_.erase(block);
  return true;
}

bool PlacementBlocks::map(Address at, Bytes size) {
  const Place block = blocks_.find(at);
  if (block == blocks_.end() || block->second.use != GivenUse::unmapped ||
      block->second.size < size)
    return false;
  if (block->second.size > size) cut(block, size);
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
    end_life(block->second.life, event);
    blocks_.erase(block);
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

std::optional<Address> PlacementBlocks::place_to_grow(LifeIndex index, Bytes size) const {
  const SegmentLife& life = lives_[index];
  const Address end = life.base + life.size;
  Bytes run;
  std::optional<Address> first_unmapped;
  for (auto at = blocks_.find(life.base); at != blocks_.end() && at->first < end;
       at = blocks_.find(at->first + at->second.size)) {
    const PlacedBlock& block = at->second;
    if (block.life != index) break;
    if (block.use != GivenUse::free && block.use != GivenUse::unmapped) {
      run = {};
      first_unmapped.reset();
      continue;
    }
    run += block.size;
    if (block.use == GivenUse::unmapped && !first_unmapped) first_unmapped = at->first;
    if (first_unmapped && run >= size) return first_unmapped;
  }
  return std::nullopt;
}

LifeIndex PlacementBlocks::reservation_for(Address at, Class wanted) const {
  const auto block = blocks_.find(at);
  if (block == blocks_.end() || block->second.use != GivenUse::unmapped) return no_life;
  const LifeIndex life = block->second.life;
  return class_of(life) == wanted ? life : no_life;
}

}  // namespace vramlab::replay
