#include "replay/recording/starting_state.h"

#include <algorithm>

#include "allocator/options/size_rules.h"
#include "allocator/policy/splitting.h"
#include "replay/recording/recorded_calls.h"

namespace vramlab::replay {
namespace {

/// The first of some ranges that overlaps [begin, end); their end if none does.
template <class Ranges>
auto first_overlapping(Ranges& ranges, Address begin, Address end) {
  auto at = ranges.lower_bound(begin);
  if (at != ranges.begin() && std::prev(at)->first + std::prev(at)->second.size > begin) --at;
  return at != ranges.end() && at->first < end ? at : ranges.end();
}

class BackwardRun {
 public:
  explicit BackwardRun(const DeviceHistory& history) : history_(history) { begin_at_the_end(); }

  RewoundState run() {
    for (std::size_t i = history_.events.size(); i-- > 0;)
      if (!undo(history_.events[i]) && state_.contradiction.empty())
        state_.contradiction = sentence(i);
    return std::move(state_);
  }

 private:
  void begin_at_the_end() {
    for (const SnapshotSegment& segment : history_.final_segments) {
      if (segment.is_expandable)
        state_.pieces[segment.address] = {segment.total_size, segment.stream, segment.kind,
                                          segment.pool, false};
      else
        state_.classic[segment.address] = {segment.total_size, segment.stream, segment.kind,
                                           segment.pool};
      for (const SnapshotBlock& block : segment.blocks)
        if (block.state != BlockState::inactive)
          state_.blocks[block.address] = {block.requested, block.size, segment.stream,
                                          block.state == BlockState::active_pending_free};
    }
  }

  /// False where the event cannot have happened.
  bool undo(const AllocatorEvent& event) {
    switch (event.action) {
      case Action::alloc:
        return state_.blocks.erase(event.address) == 1;
      case Action::free_completed:
        return state_.blocks
            .insert({event.address,
                     {event.size, exact_size(event), event.stream, history_.traits.requests_frees}})
            .second;
      case Action::free_requested:
        return undo_free_requested(event);
      case Action::segment_alloc:
        return state_.classic.erase(event.address) == 1;
      case Action::segment_free: {
        const PoolKind kind =
            event.size == allocator::small_segment ? PoolKind::small : PoolKind::large;
        return state_.classic
            .insert({event.address, {event.size, event.stream, kind, std::nullopt}})
            .second;
      }
      case Action::segment_map:
        return undo_map(event);
      case Action::segment_unmap:
        return undo_unmap(event);
      case Action::snapshot:
      case Action::oom:
        return true;
    }
    return true;
  }

  std::optional<Bytes> exact_size(const AllocatorEvent& event) const {
    if (!history_.traits.has_whole_blocks) return std::nullopt;
    return event.size;
  }

  bool undo_free_requested(const AllocatorEvent& event) {
    const auto block = state_.blocks.find(event.address);
    if (block == state_.blocks.end() || !block->second.is_waiting) return false;
    block->second.is_waiting = false;
    return true;
  }

  bool undo_map(const AllocatorEvent& event) {
    const Address end = event.address + event.size;
    Bytes removed;
    for (auto at = first_overlapping(state_.pieces, event.address, end); at != state_.pieces.end();
         at = first_overlapping(state_.pieces, event.address, end)) {
      const Address begin = at->first;
      const StartingPiece piece = at->second;
      state_.pieces.erase(at);
      StartingPiece kept = piece;
      if (begin < event.address) {
        kept.size = event.address - begin;
        state_.pieces[begin] = kept;
      }
      if (begin + piece.size > end) {
        kept.size = begin + piece.size - end;
        state_.pieces[end] = kept;
      }
      removed += std::min(begin + piece.size, end) - std::max(begin, event.address);
    }
    return removed == event.size;
  }

  bool undo_unmap(const AllocatorEvent& event) {
    if (first_overlapping(state_.pieces, event.address, event.address + event.size) !=
        state_.pieces.end())
      return false;
    state_.pieces[event.address] = {event.size, event.stream, std::nullopt, std::nullopt, false};
    return true;
  }

  std::string sentence(std::size_t index) const {
    return "event " + std::to_string(index) + ", " + event_text(history_.events[index]) +
           ", contradicts what follows it";
  }

  const DeviceHistory& history_;
  RewoundState state_;
};

}  // namespace

RewoundState run_backwards(const DeviceHistory& history) { return BackwardRun(history).run(); }

PoolKind RequestKinds::at(std::size_t event) {
  if (event < end_) return kind_;
  for (end_ = event; end_ < history_.events.size();) {
    const AllocatorEvent next = history_.events[end_++];
    if (next.action == Action::alloc && next.size < allocator::request_limit)
      return kind_ = allocator::pool_kind_of(round_request(next.size, settings_));
    if (next.action == Action::oom) return kind_ = allocator::pool_kind_of(next.size);
  }
  return kind_ = PoolKind::large;
}

Bytes least_reservation(const DeviceHistory& history, const allocator::Reserve& reserve) {
  std::uint64_t now = reserved_at_end(history).count;
  std::uint64_t most = now;
  const traces::LongSequence<std::size_t>& rare = history.events.rare();
  for (std::size_t i = rare.size(); i-- > 0;) {
    const AllocatorEvent event = history.events[rare[i]];
    const std::uint64_t size = event.size.count;
    if (event.action == Action::segment_map || event.action == Action::segment_alloc)
      now -= std::min(now, size);
    if (event.action == Action::segment_unmap || event.action == Action::segment_free) now += size;
    const std::uint64_t free = event.action == Action::oom ? event.address.value : 0;
    most = std::max(most, now + free);
  }
  return allocator::addresses_for({most}, reserve);
}

namespace {

/// How large the blocks of the start were. A rest that was too small to be split off belongs to its
/// block.
struct BlockExtents {
  std::map<Address, Bytes> sizes;
  /// Blocks whose size neither a survivor nor a later event shows.
  std::uint64_t assumed_count = 0;
};

/// A block whose rest may be its own or a free block.
struct OpenBlock {
  Address end_of_request;
  /// The next block or the end of the segment.
  Address end_of_room;
  std::optional<Address> landing;
};

class ExtentFinder {
 public:
  ExtentFinder(const DeviceHistory& history, const RewoundState& rewound,
               const allocator::Settings& settings)
      : history_(history), rewound_(rewound), settings_(settings) {}

  BlockExtents find() {
    for (auto at = rewound_.blocks.begin(); at != rewound_.blocks.end(); ++at) look_at(at);
    watch_landings();
    for (const auto& [address, block] : done_) settle(address, block);
    for (const auto& [address, block] : open_) settle(address, block);
    return std::move(extents_);
  }

 private:
  using BlockPlace = std::map<Address, StartingBlock>::const_iterator;

  void look_at(BlockPlace at) {
    const auto& [address, block] = *at;
    if (block.exact_size) {
      extents_.sizes[address] = *block.exact_size;
      return;
    }
    const Bytes rounded = round_request(block.requested, settings_);
    extents_.sizes[address] = rounded;
    auto segment = rewound_.classic.upper_bound(address);
    if (segment == rewound_.classic.begin()) return;
    --segment;
    const Address segment_end = segment->first + segment->second.size;
    if (address >= segment_end || segment->second.kind == PoolKind::small) return;
    const auto next = std::next(at);
    const Address end_of_room =
        next != rewound_.blocks.end() && next->first < segment_end ? next->first : segment_end;
    if (end_of_room > address + rounded) open_[address] = {address + rounded, end_of_room, {}};
  }

  /// The first request that is placed behind an open block while it lives shows where its rest
  /// ends.
  void watch_landings() {
    for (const AllocatorEvent& event : history_.events) {
      if (open_.empty()) return;
      if (event.action == Action::alloc) note_landing(event.address);
      if (event.action != Action::free_completed) continue;
      if (const auto freed = open_.find(event.address); freed != open_.end())
        done_.insert(open_.extract(freed));
    }
  }

  void note_landing(Address at) {
    auto open = open_.upper_bound(at);
    if (open == open_.begin()) return;
    --open;
    OpenBlock& block = open->second;
    if (at >= block.end_of_room || at < block.end_of_request) return;
    block.landing = at;
    done_.insert(open_.extract(open));
  }

  void settle(Address address, const OpenBlock& block) {
    const Bytes room = block.end_of_room - block.end_of_request;
    Bytes& size = extents_.sizes[address];
    if (block.landing && *block.landing - block.end_of_request <= allocator::large_remainder) {
      size = *block.landing - address;
      return;
    }
    if (size >= settings_.max_split_size || room <= allocator::large_remainder)
      size += room;
    else if (!block.landing)
      ++extents_.assumed_count;
  }

  const DeviceHistory& history_;
  const RewoundState& rewound_;
  const allocator::Settings& settings_;
  BlockExtents extents_;
  std::map<Address, OpenBlock> open_;
  std::map<Address, OpenBlock> done_;
};

/// A reservation of addresses: mapped pieces, put together by stream, kind and pool, with the
/// unmapped addresses between and behind them.
struct StartingReservation {
  Address base;
  StreamId stream;
  PoolKind kind = PoolKind::small;
  std::optional<PoolId> pool;
  bool kind_is_guessed = false;
  /// Mapped ranges by address, those that touch joined.
  std::map<Address, Bytes> mapped;

  Address end_of_mapped() const { return mapped.rbegin()->first + mapped.rbegin()->second; }
};

using Pieces = std::map<Address, StartingPiece>;

/// Sets the kind of pieces that the range of a block touches.
void note_block(Pieces& pieces, Address at, Bytes size) {
  const PoolKind kind = allocator::pool_kind_of(size);
  for (auto piece = first_overlapping(pieces, at, at + size);
       piece != pieces.end() && piece->first < at + size; ++piece)
    if (!piece->second.kind) piece->second.kind = kind;
}

/// A piece whose addresses are mapped anew was unmapped before, so later blocks say nothing of it.
void forget_remapped(Pieces& open, const AllocatorEvent& event) {
  const Address end = event.address + event.size;
  for (auto at = first_overlapping(open, event.address, end); at != open.end();
       at = first_overlapping(open, event.address, end))
    open.erase(at);
}

/// Finds the kind of a piece from the first block that is placed in it while it is mapped.
void find_kinds_forward(const DeviceHistory& history, Pieces& pieces,
                        const allocator::Settings& settings) {
  Pieces open;
  for (const auto& [address, piece] : pieces)
    if (!piece.kind) open[address] = piece;
  for (const AllocatorEvent& event : history.events) {
    if (open.empty()) return;
    if (event.action == Action::segment_map) forget_remapped(open, event);
    if (event.action != Action::alloc || event.size.count == 0) continue;
    const Bytes size = round_request(event.size, settings);
    const auto at = first_overlapping(open, event.address, event.address + size);
    if (at == open.end()) continue;
    note_block(pieces, event.address, size);
    open.erase(at);
  }
}

/// Guesses the other kinds. Touching pieces of one stream are of one reservation. A size that is no
/// multiple of the large unit is that of a small piece; any other piece is large.
void guess_kinds(Pieces& pieces, const allocator::Settings& settings) {
  const Bytes large_unit = expandable_unit(PoolKind::large, settings);
  for (auto at = pieces.begin(); at != pieces.end(); ++at) {
    if (at->second.kind) continue;
    at->second.kind_is_guessed = true;
    const auto next = std::next(at);
    if (at != pieces.begin()) {
      const auto& [address, before] = *std::prev(at);
      if (address + before.size == at->first && before.stream == at->second.stream)
        at->second.kind = before.kind;
    }
    if (!at->second.kind && next != pieces.end() && at->first + at->second.size == next->first &&
        next->second.stream == at->second.stream)
      at->second.kind = next->second.kind;
    if (!at->second.kind)
      at->second.kind =
          at->second.size.count % large_unit.count == 0 ? PoolKind::large : PoolKind::small;
  }
}

void find_kinds(const DeviceHistory& history, RewoundState& rewound,
                const allocator::Settings& settings) {
  for (const auto& [address, block] : rewound.blocks)
    note_block(rewound.pieces, address, round_request(block.requested, settings));
  find_kinds_forward(history, rewound.pieces, settings);
  guess_kinds(rewound.pieces, settings);
}

/// Reservations begin at least `least` apart; but the lowest addresses of one may be unmapped, so
/// their kinds and pools can tell two pieces apart earlier.
bool belongs(const StartingReservation& reservation, Address at, const StartingPiece& piece,
             Bytes least) {
  const bool is_known = !reservation.kind_is_guessed && !piece.kind_is_guessed;
  const bool same_kind = reservation.kind == *piece.kind || !is_known;
  const bool same_pool = !reservation.pool || !piece.pool || *reservation.pool == *piece.pool;
  return reservation.stream == piece.stream && same_kind && same_pool &&
         at - reservation.base < least;
}

void add_piece(StartingReservation& reservation, Address at, const StartingPiece& piece) {
  if (!reservation.pool) reservation.pool = piece.pool;
  if (reservation.kind_is_guessed && !piece.kind_is_guessed) {
    reservation.kind = *piece.kind;
    reservation.kind_is_guessed = false;
  }
  if (!reservation.mapped.empty() && reservation.end_of_mapped() == at)
    reservation.mapped.rbegin()->second += piece.size;
  else
    reservation.mapped[at] = piece.size;
}

/// A reservation of the start, as long as something of it is mapped.
struct Followed {
  StartingReservation* reservation;
  Bytes mapped;

  bool holds(const AllocatorEvent& event, Bytes least) const {
    return mapped > Bytes{0} && reservation->stream == event.stream &&
           reservation->base <= event.address && event.address - reservation->base < least;
  }
};

std::vector<Followed> follow(std::vector<StartingReservation>& reservations) {
  std::vector<Followed> followed;
  for (StartingReservation& reservation : reservations) {
    Bytes mapped;
    for (const auto& [address, size] : reservation.mapped) mapped += size;
    followed.push_back({&reservation, mapped});
  }
  return followed;
}

/// Whether the event maps addresses below the lowest piece that are this reservation's.
bool is_hole_below(const Followed& one, const AllocatorEvent& event, PoolKind kind, Bytes least,
                   const allocator::Settings& settings) {
  const StartingReservation& above = *one.reservation;
  return one.mapped > Bytes{0} && event.address < above.base && above.stream == event.stream &&
         above.kind == kind && above.base - event.address < least &&
         (above.base - event.address).count % expandable_unit(kind, settings).count == 0;
}

/// A later map below the lowest piece shows addresses that were reserved and unmapped.
void lower_bases(const DeviceHistory& history, Bytes least, const allocator::Settings& settings,
                 std::vector<StartingReservation>& reservations) {
  if (reservations.empty()) return;
  RequestKinds kinds(history, settings);
  std::vector<Followed> followed = follow(reservations);
  for (const std::size_t i : history.events.rare()) {
    const AllocatorEvent event = history.events[i];
    const bool is_map = event.action == Action::segment_map;
    if (!is_map && event.action != Action::segment_unmap) continue;
    auto holder = std::ranges::find_if(
        followed, [&](const Followed& one) { return one.holds(event, least); });
    if (holder == followed.end() && is_map) {
      holder = std::ranges::find_if(followed, [&](const Followed& one) {
        return is_hole_below(one, event, kinds.at(i), least, settings);
      });
      if (holder != followed.end()) holder->reservation->base = event.address;
    }
    if (holder == followed.end()) continue;
    if (is_map)
      holder->mapped += event.size;
    else
      holder->mapped -= std::min(holder->mapped, event.size);
  }
}

/// By ascending base.
std::vector<StartingReservation> find_reservations(const DeviceHistory& history,
                                                   RewoundState& rewound,
                                                   const allocator::Settings& settings) {
  find_kinds(history, rewound, settings);
  const Bytes reach = least_reservation(history, settings.expandable_reserve);
  std::vector<StartingReservation> reservations;
  for (const auto& [address, piece] : rewound.pieces) {
    if (reservations.empty() || !belongs(reservations.back(), address, piece, reach))
      reservations.push_back(
          {address, piece.stream, *piece.kind, piece.pool, piece.kind_is_guessed, {}});
    add_piece(reservations.back(), address, piece);
  }
  lower_bases(history, reach, settings, reservations);
  return reservations;
}

class SegmentBuilder {
 public:
  SegmentBuilder(const RewoundState& rewound, const BlockExtents& extents)
      : rewound_(rewound), extents_(extents) {}

  /// Blocks and the gaps between them, each gap one block.
  void fill(GivenSegment& segment, Address begin, Address end, GivenUse gap) const {
    Address at = begin;
    for (auto block = rewound_.blocks.lower_bound(begin);
         block != rewound_.blocks.end() && block->first < end; ++block) {
      if (block->first < at) continue;
      add_gap(segment, block->first - at, gap);
      const Bytes size = std::min(extents_.sizes.at(block->first), end - block->first);
      segment.blocks.push_back({size, block->second.requested,
                                block->second.is_waiting ? GivenUse::waiting : GivenUse::live});
      at = block->first + size;
    }
    add_gap(segment, end - at, gap);
  }

  static void add_gap(GivenSegment& segment, Bytes size, GivenUse use) {
    if (size > Bytes{0}) segment.blocks.push_back({size, Bytes{0}, use});
  }

 private:
  const RewoundState& rewound_;
  const BlockExtents& extents_;
};

GivenSegment classic_segment(Address base, const StartingClassic& classic,
                             const SegmentBuilder& builder) {
  GivenSegment segment;
  segment.base = base;
  segment.stream = classic.stream;
  segment.kind = classic.kind;
  segment.pool = classic.pool.value_or(default_pool);
  builder.fill(segment, base, base + classic.size, GivenUse::free);
  return segment;
}

GivenSegment reserved_segment(const StartingReservation& start, Bytes unit, Bytes reservation,
                              const SegmentBuilder& builder) {
  GivenSegment segment;
  segment.base = start.base;
  segment.stream = start.stream;
  segment.kind = start.kind;
  segment.pool = start.pool.value_or(default_pool);
  segment.is_expandable = true;
  segment.unit = unit;
  Address at = start.base;
  for (const auto& [address, size] : start.mapped) {
    SegmentBuilder::add_gap(segment, address - at, GivenUse::unmapped);
    builder.fill(segment, address, address + size, GivenUse::free);
    at = address + size;
  }
  const Bytes used = at - start.base;
  if (const Bytes all = round_up(reservation, unit); all > used)
    SegmentBuilder::add_gap(segment, all - used, GivenUse::unmapped);
  return segment;
}

}  // namespace

StartingState find_starting_state(const DeviceHistory& history, const allocator::Settings& settings,
                                  Bytes reservation) {
  RewoundState rewound = run_backwards(history);
  const BlockExtents extents = ExtentFinder(history, rewound, settings).find();
  const SegmentBuilder builder(rewound, extents);
  std::map<Address, std::pair<GivenSegment, std::optional<PoolId>>> by_base;
  for (const auto& [base, classic] : rewound.classic)
    by_base[base] = {classic_segment(base, classic, builder), classic.pool};
  for (const StartingReservation& one : find_reservations(history, rewound, settings))
    by_base[one.base] = {
        reserved_segment(one, expandable_unit(one.kind, settings), reservation, builder), one.pool};
  StartingState state;
  state.assumed_extent_count = extents.assumed_count;
  state.contradiction = rewound.contradiction;
  for (auto& [base, segment] : by_base) {
    state.segments.push_back(std::move(segment.first));
    state.known_pools.push_back(segment.second);
  }
  return state;
}

Bytes mapped_size(const GivenSegment& segment) {
  Bytes mapped;
  for (const GivenBlock& block : segment.blocks)
    if (block.use != GivenUse::unmapped) mapped += block.size;
  return mapped;
}

std::map<Address, Bytes> requested_at_start(const StartingState& start) {
  std::map<Address, Bytes> requested;
  for (const GivenSegment& segment : start.segments) {
    Address at = segment.base;
    for (const GivenBlock& block : segment.blocks) {
      requested[at] = block.requested;
      at = at + block.size;
    }
  }
  return requested;
}

}  // namespace vramlab::replay
