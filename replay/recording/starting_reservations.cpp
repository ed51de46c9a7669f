#include "replay/recording/starting_reservations.h"

#include <algorithm>

#include "allocator/options/size_rules.h"

namespace vramlab::replay {
namespace {

using Pieces = std::map<Address, StartingPiece>;

/// Sets the kind of pieces that the range of a block touches.
void note_block(Pieces& pieces, Address at, Bytes size) {
  const PoolKind kind = allocator::pool_kind_of(size);
  for (auto piece = first_overlapping(pieces, at, at + size);
       piece != pieces.end() && piece->first < at + size; ++piece)
    if (!piece->second.kind) piece->second.kind = kind;
}

/// A piece whose addresses are mapped anew was unmapped before; what lands there later says
/// nothing.
void forget_remapped(Pieces& open, const AllocatorEvent& event) {
  const Address end = event.address + event.size;
  for (auto at = first_overlapping(open, event.address, end); at != open.end();
       at = first_overlapping(open, event.address, end))
    open.erase(at);
}

/// From the first block that is placed there while it is mapped.
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

/// Touching pieces of one stream are of one reservation; a size that is no multiple of the large
/// unit tells; otherwise large.
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
/// what is known of two pieces can tell them apart earlier.
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
void lower_bases(const DeviceHistory& history, const traces::LongSequence<PoolKind>& kinds,
                 Bytes least, const allocator::Settings& settings,
                 std::vector<StartingReservation>& reservations) {
  std::vector<Followed> followed = follow(reservations);
  for (std::size_t i = 0; i < history.events.size(); ++i) {
    const AllocatorEvent& event = history.events[i];
    const bool is_map = event.action == Action::segment_map;
    if (!is_map && event.action != Action::segment_unmap) continue;
    auto holder = std::ranges::find_if(
        followed, [&](const Followed& one) { return one.holds(event, least); });
    if (holder == followed.end() && is_map) {
      holder = std::ranges::find_if(followed, [&](const Followed& one) {
        return is_hole_below(one, event, kinds[i], least, settings);
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

}  // namespace

Bytes least_reservation(const DeviceHistory& history) {
  std::uint64_t now = 0;
  for (const SnapshotSegment& segment : history.final_segments) now += segment.total_size.count;
  std::uint64_t most = now;
  for (std::size_t i = history.events.size(); i-- > 0;) {
    const AllocatorEvent& event = history.events[i];
    const std::uint64_t size = event.size.count;
    if (event.action == Action::segment_map || event.action == Action::segment_alloc)
      now -= std::min(now, size);
    if (event.action == Action::segment_unmap || event.action == Action::segment_free) now += size;
    const std::uint64_t free = event.action == Action::oom ? event.address.value : 0;
    most = std::max(most, now + free);
  }
  return allocator::addresses_for({most});
}

std::vector<StartingReservation> find_reservations(const DeviceHistory& history,
                                                   RewoundState& rewound,
                                                   const traces::LongSequence<PoolKind>& kinds,
                                                   const allocator::Settings& settings) {
  find_kinds(history, rewound, settings);
  const Bytes reach = least_reservation(history);
  std::vector<StartingReservation> reservations;
  for (const auto& [address, piece] : rewound.pieces) {
    if (reservations.empty() || !belongs(reservations.back(), address, piece, reach))
      reservations.push_back(
          {address, piece.stream, *piece.kind, piece.pool, piece.kind_is_guessed, {}});
    add_piece(reservations.back(), address, piece);
  }
  lower_bases(history, kinds, reach, settings, reservations);
  return reservations;
}

}  // namespace vramlab::replay
