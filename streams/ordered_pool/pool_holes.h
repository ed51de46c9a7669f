// PoolHoles: the free memory of a stream-ordered pool. A hole is free from end to end; it is made
// of pieces, which became free at different places of the program, so that not every stream may use
// all of them. Pieces that every stream may use are settled, and grow together.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "streams/happens_before/free_order.h"
#include "streams/memory/free_ranges.h"

namespace vramlab::streams {

enum class PieceUse : std::uint8_t { forbidden, allowed, settled };

class PoolHoles {
 public:
  /// Asked about each piece that is not settled; a piece that it calls settled stays so.
  using Judge = std::function<PieceUse(const FreePoint& point)>;

  struct Piece {
    AddressRange range;
    /// Empty if it is settled.
    std::optional<FreePoint> point;
  };

  /// Requires: nothing in the range is free.
  void add(const Piece& piece);
  /// The smallest row in the smallest hole that has enough memory in a row that may be used;
  /// of several the lowest.
  std::optional<AddressRange> smallest_fit(Bytes size, const Judge& judge);
  /// The range is not free any more. Requires: all of it was.
  void take(AddressRange range);
  /// The places at which the unsettled pieces of the range became free, by address.
  std::vector<FreePoint> points_in(AddressRange range) const;
  /// Whole units, counted from `origin`, that may be used from end to end, by address.
  std::vector<Address> whole_units(Address origin, Bytes unit, const Judge& judge);

 private:
  struct Rest {
    Address end;
    std::optional<FreePoint> point;
  };
  using Pieces = std::map<Address, Rest>;

  /// The rows of the hole that may be used, by address.
  std::vector<AddressRange> usable_rows(AddressRange hole, const Judge& judge);
  Pieces::iterator join_if_settled(Pieces::iterator piece);
  void split_piece_at(Address at);

  Pieces pieces_;
  FreeRanges holes_;
};

}  // namespace vramlab::streams
