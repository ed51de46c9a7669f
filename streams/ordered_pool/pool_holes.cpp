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
  AddressRange hole = piece.range;
  auto after = holes_.lower_bound(hole.begin);
  check(after == holes_.end() || hole.end <= after->first, "memory becomes free once");
  if (after != holes_.end() && after->first == hole.end) {
    hole.end = after->second;
    remove_hole(after);
  }
  auto before = holes_.lower_bound(hole.begin);
  if (before != holes_.begin() && std::prev(before)->second == hole.begin) {
    before = std::prev(before);
    hole.begin = before->first;
    remove_hole(before);
  }
  add_hole(hole);
}

std::optional<AddressRange> PoolHoles::smallest_fit(Bytes size, const Judge& judge) {
  for (auto hole = by_size_.lower_bound({size, Address{0}}); hole != by_size_.end(); ++hole) {
    std::optional<AddressRange> best;
    for (const AddressRange& row : usable_rows({hole->second, hole->second + hole->first}, judge))
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
  const auto found = std::prev(holes_.upper_bound(range.begin));
  const AddressRange hole{found->first, found->second};
  remove_hole(found);
  if (hole.begin < range.begin) add_hole({hole.begin, range.begin});
  if (range.end < hole.end) add_hole({range.end, hole.end});
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
  for (const auto& [begin, end] : holes_) {
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

void PoolHoles::add_hole(AddressRange hole) {
  holes_[hole.begin] = hole.end;
  by_size_.insert({hole.size(), hole.begin});
}

void PoolHoles::remove_hole(Holes::iterator hole) {
  by_size_.erase({hole->second - hole->first, hole->first});
  holes_.erase(hole);
}

}  // namespace vramlab::streams
