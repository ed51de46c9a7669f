#include "streams/ordered_pool/pool_holes.h"

#include <algorithm>
#include <iterator>

#include "allocator/types/check.h"

namespace vramlab::streams {

void PoolHoles::add(const Piece& piece) {
  const auto [added, is_new] =
      pieces_.try_emplace(piece.range.begin, Rest{piece.range.end, piece.point});
  check(is_new && !piece.range.is_empty(), "memory becomes free once");
  join_if_settled(added);
  holes_.add(piece.range);
}

std::optional<AddressRange> PoolHoles::smallest_fit(Bytes size, const Judge& judge) {
  for (auto hole = holes_.smallest_with(size); hole; hole = holes_.next_larger(*hole)) {
    std::optional<AddressRange> best;
    for (const AddressRange& row : usable_rows(*hole, judge))
      if (row.size() >= size && (!best || row.size() < best->size())) best = row;
    if (best) return AddressRange{best->begin, best->begin + size};
  }
  return std::nullopt;
}

void PoolHoles::take(AddressRange range) {
  split_piece_at(range.begin);
  split_piece_at(range.end);
  Address at = range.begin;
  for (auto piece = pieces_.find(range.begin); at < range.end; piece = pieces_.erase(piece)) {
    check(piece != pieces_.end() && piece->first == at, "what is taken is free");
    at = piece->second.end;
  }
  holes_.take(range);
}

std::vector<FreePoint> PoolHoles::points_in(AddressRange range) const {
  std::vector<FreePoint> points;
  auto piece = std::prev(pieces_.upper_bound(range.begin));
  for (; piece != pieces_.end() && piece->first < range.end; ++piece)
    if (piece->second.point) points.push_back(*piece->second.point);
  return points;
}

std::vector<Address> PoolHoles::whole_units(Address origin, Bytes unit, const Judge& judge) {
  std::vector<Address> units;
  for (const auto& [begin, end] : holes_.by_address()) {
    if (end - begin < unit) continue;
    for (const AddressRange& row : usable_rows({begin, end}, judge)) {
      Address at = origin + round_up(row.begin - origin, unit);
      for (; at <= row.end && row.end - at >= unit; at = at + unit) units.push_back(at);
    }
  }
  return units;
}

std::vector<AddressRange> PoolHoles::usable_rows(AddressRange hole, const Judge& judge) {
  std::vector<AddressRange> rows;
  for (auto piece = pieces_.find(hole.begin); piece != pieces_.end() && piece->first < hole.end;
       ++piece) {
    std::optional<FreePoint>& point = piece->second.point;
    const PieceUse use = point ? judge(*point) : PieceUse::settled;
    if (use == PieceUse::forbidden) continue;
    const AddressRange range{piece->first, piece->second.end};
    if (use == PieceUse::settled) {
      point.reset();
      piece = join_if_settled(piece);
    }
    if (!rows.empty() && rows.back().end == range.begin)
      rows.back().end = range.end;
    else
      rows.push_back(range);
    rows.back().end = std::max(rows.back().end, piece->second.end);
  }
  return rows;
}

/// Gives the piece that it became part of.
PoolHoles::Pieces::iterator PoolHoles::join_if_settled(Pieces::iterator piece) {
  if (piece->second.point) return piece;
  const auto next = std::next(piece);
  if (next != pieces_.end() && next->first == piece->second.end && !next->second.point) {
    piece->second.end = next->second.end;
    pieces_.erase(next);
  }
  if (piece == pieces_.begin()) return piece;
  const auto before = std::prev(piece);
  if (before->second.end != piece->first || before->second.point) return piece;
  before->second.end = piece->second.end;
  pieces_.erase(piece);
  return before;
}

void PoolHoles::split_piece_at(Address at) {
  const auto after = pieces_.upper_bound(at);
  if (after == pieces_.begin()) return;
  const auto piece = std::prev(after);
  if (piece->first == at || piece->second.end <= at) return;
  const Rest rest = piece->second;
  piece->second.end = at;
  pieces_.emplace(at, rest);
}

}  // namespace vramlab::streams
