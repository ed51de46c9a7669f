// PlacedRanges: which ranges of addresses a simulated memory gave out and took back, so that it can
// be asked whether they would lie in the same order on a device of another size. The reservations
// of an allocator are as large as the device and an eighth more; all other ranges keep their size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "allocator/types/bytes_and_ids.h"
#include "streams/memory/address_range.h"

namespace vramlab::streams {

class FreeGaps;

enum class PlaceKind : std::uint8_t { allocation, reservation };

enum class KeepsRanges : bool { no, yes };

/// What a memory goes by when it places ranges.
struct PlacingRules {
  Bytes granularity;
  AddressRange allocations;
  AddressRange reservations;
  /// Reservations of this size and above are not dictated where smaller ones are.
  Bytes dictated_below;
};

struct GivenPlace {
  PlaceKind kind = PlaceKind::allocation;
  /// Rounded.
  Bytes size;
  Address at;
  /// By a rule; it may have been taken already.
  std::optional<Address> dictated;
};

class PlacedRanges {
 public:
  explicit PlacedRanges(const PlacingRules& rules) : rules_(rules) {}

  void placed(const GivenPlace& place);
  void gave_back(Address at);
  /// The reservation that the address lies in has such units.
  void uses_unit(Address at, Bytes unit);
  /// The reservation there is as large on every device.
  void keeps_size(Address at);

  struct Sizes {
    Bytes from;
    Bytes step;
    Bytes below;
  };
  /// The first of these sizes on which ranges would lie in another order, or on which nobody looked
  /// any more; `below` where there is none.
  Bytes first_other_order(const Sizes& sizes) const;
  bool same_order_on(Bytes device_total) const;

 private:
  struct Note {
    GivenPlace place;
    /// For a reservation that goes by the device's size.
    Bytes unit;
    bool gives_back = false;
    bool keeps_size = true;
  };

  void add(const Note& note);
  /// The note of what is there now.
  Note* reservation_with(Address at);
  Bytes size_on(const Note& note, Bytes device_total) const;
  std::optional<Address> place_on(const Note& note, Bytes size, const FreeGaps& gaps) const;
  /// Reservations lie one behind the other, and none was given back.
  bool is_plain_row() const { return !gave_back_ && !was_dictated_; }

  PlacingRules rules_;
  std::vector<Note> notes_;
  /// For the reservations that are there.
  std::vector<std::size_t> reservations_;
  bool grows_ = false;
  bool gave_back_ = false;
  bool was_dictated_ = false;
  bool is_full_ = false;
};

}  // namespace vramlab::streams
