#include "replay/reservations_then.h"

#include <algorithm>

#include "allocator/size_rules.h"

namespace vramlab::replay {
namespace {

using allocator::Action;
using allocator::Address;
using allocator::Bytes;
using allocator::PoolKind;
using Pieces = std::map<Address, PieceThen>;

/// Sets the kind of pieces that the range of a block touches.
void note_block(Pieces& pieces, Address at, Bytes size) {
  const PoolKind kind = allocator::pool_kind_of(size);
  for (auto piece = first_overlapping(pieces, at, at + size);
       piece != pieces.end() && piece->first < at + size; ++piece)
    if (!piece->second.kind) piece->second.kind = kind;
}

bool any_unknown(const Pieces& pieces) {
  return std::ranges::any_of(pieces, [](const auto& piece) { return !piece.second.kind; });
}

/// From its blocks, else from the first block that is placed there, else from a neighbour.
void find_kinds(const DeviceHistory& history, StateThen& then,
                const allocator::Settings& settings) {
  for (const auto& [address, block] : then.blocks)
    note_block(then.pieces, address, round_request(block.requested, settings));
  if (!any_unknown(then.pieces)) return;
  for (const allocator::AllocatorEvent& event : history.events)
    if (event.action == Action::alloc && event.size.count > 0)
      note_block(then.pieces, event.address, round_request(event.size, settings));
  for (auto at = then.pieces.begin(); at != then.pieces.end(); ++at) {
    if (at->second.kind) continue;
    const auto next = std::next(at);
    if (at != then.pieces.begin())
      at->second.kind = std::prev(at)->second.kind;
    else if (next != then.pieces.end() && next->second.kind)
      at->second.kind = next->second.kind;
    else
      at->second.kind = PoolKind::large;
  }
}

bool belongs(const ReservationThen& reservation, Address at, const PieceThen& piece, Bytes reach) {
  return reservation.stream == piece.stream && reservation.kind == *piece.kind &&
         (!reservation.pool || !piece.pool || *reservation.pool == *piece.pool) &&
         at - reservation.end_of_mapped() <= reach;
}

void add_piece(ReservationThen& reservation, Address at, const PieceThen& piece) {
  if (!reservation.pool) reservation.pool = piece.pool;
  if (!reservation.mapped.empty() && reservation.end_of_mapped() == at)
    reservation.mapped.rbegin()->second += piece.size;
  else
    reservation.mapped[at] = piece.size;
}

/// The most that was ever mapped: holes inside a reservation are no larger.
Bytes most_reserved(const DeviceHistory& history, const StateThen& then) {
  Bytes now;
  for (const auto& [address, piece] : then.pieces) now += piece.size;
  Bytes most = now;
  for (const allocator::AllocatorEvent& event : history.events) {
    if (event.action == Action::segment_map) now += event.size;
    if (event.action == Action::segment_unmap) now -= std::min(now, event.size);
    most = std::max(most, now);
  }
  return most;
}

/// A later map below the lowest piece shows addresses that were reserved and unmapped.
void lower_bases(const DeviceHistory& history, const std::vector<PoolKind>& kinds, Bytes reach,
                 const allocator::Settings& settings, std::vector<ReservationThen>& reservations) {
  for (std::size_t i = 0; i < history.events.size(); ++i) {
    const allocator::AllocatorEvent& event = history.events[i];
    if (event.action != Action::segment_map) continue;
    const auto above =
        std::ranges::find_if(reservations, [&](const auto& r) { return r.base > event.address; });
    if (above == reservations.end() || above->stream != event.stream || above->kind != kinds[i])
      continue;
    const Bytes below = above->base - event.address;
    const bool is_in_another = above != reservations.begin() &&
                               event.address < std::prev(above)->end_of_mapped() + reach &&
                               std::prev(above)->stream == event.stream &&
                               std::prev(above)->kind == kinds[i];
    if (below <= reach && below.count % expandable_unit(above->kind, settings).count == 0 &&
        !is_in_another)
      above->base = event.address;
  }
}

}  // namespace

std::vector<ReservationThen> find_reservations(const DeviceHistory& history, StateThen& then,
                                               const std::vector<PoolKind>& kinds,
                                               const allocator::Settings& settings) {
  find_kinds(history, then, settings);
  const Bytes reach = most_reserved(history, then);
  std::vector<ReservationThen> reservations;
  for (const auto& [address, piece] : then.pieces) {
    if (reservations.empty() || !belongs(reservations.back(), address, piece, reach))
      reservations.push_back({address, piece.stream, *piece.kind, piece.pool, {}});
    add_piece(reservations.back(), address, piece);
  }
  lower_bases(history, kinds, reach, settings, reservations);
  return reservations;
}

}  // namespace vramlab::replay
