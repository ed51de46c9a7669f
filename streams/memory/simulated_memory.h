// SimulatedMemory: the memory of a simulated device. It counts bytes, places ranges of addresses
// and keeps the physical units behind reservations. It knows no streams' work and no time.
// PlacedRanges notes the ranges that it gave out, so that it can be asked whether they would lie in
// the same order on a device of another size.
//
// A range takes the lowest gap of its window that is large enough, or the place that a driver gives
// it, unless a placement rule dictates the address. Classic allocations are rounded up to the
// granularity; units count at their size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "allocator/types/bytes_and_ids.h"
#include "allocator/types/device.h"
#include "streams/memory/driver_places.h"
#include "streams/memory/free_gaps.h"

namespace vramlab::streams {

enum class PlaceKind : std::uint8_t { allocation, reservation };

enum class KeepsRanges : bool { no, yes };

/// The rules by which a memory places ranges.
struct PlacingRules {
  /// The size of the device that ranges were placed on.
  Bytes device_total;
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
  /// The address that a rule dictated; it may have been taken already.
  std::optional<Address> dictated;
};

/// The ranges of addresses that a simulated memory gave out and took back. The reservations of an
/// allocator are as large as the device and an eighth more; all other ranges keep their size.
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
  /// The first of these sizes on which ranges would lie in another order, or from which on sizes
  /// were not tried any more; `below` where no size is.
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
  /// The note of the reservation that the address lies in now, or null.
  Note* reservation_with(Address at);
  Bytes size_on(const Note& note, Bytes device_total) const;
  std::optional<Address> place_on(const Note& note, Bytes size, const FreeGaps& gaps) const;
  /// Reservations lie one behind the other, and none was given back.
  bool is_plain_row() const { return !gave_back_ && !was_dictated_; }

  PlacingRules rules_;
  std::vector<Note> notes_;
  /// Notes of the reservations that are in use now.
  std::vector<std::size_t> reservations_;
  bool grows_ = false;
  bool gave_back_ = false;
  bool was_dictated_ = false;
  bool is_full_ = false;
};

struct PlaceRequest {
  PlaceKind kind = PlaceKind::allocation;
  /// As it was asked for, before rounding.
  Bytes size;
  StreamId stream;
};

/// Dictates the address of one request, or leaves it to the usual places by giving nothing.
using PlacementRule = std::function<std::optional<Address>(const PlaceRequest&)>;

/// Places of allocations that no rule places: the lowest gap, or those that a driver gives.
enum class UsualPlaces : std::uint8_t { lowest_gap, driver };

/// The answer where the rule's address is not free.
enum class WhenTaken : std::uint8_t { fail, lowest_gap };

struct MemoryOptions {
  Bytes total;
  /// A part of the device beside `total` that nobody can have: it only makes the device larger
  /// where its size is asked for.
  Bytes kept{};
  Bytes granularity{2ULL << 20};
  AddressRange allocations{{0x7f0000000000}, {0x8000000000000000}};
  AddressRange reservations{{0x300000000000}, {0x7f0000000000}};
  UsualPlaces usual_places = UsualPlaces::lowest_gap;
  /// The work that a driver's places depend on, asked before a range is taken or released. Empty:
  /// none.
  std::function<WorkSoFar()> work_so_far = {};
  /// Empty: always the usual places.
  PlacementRule placement = {};
  WhenTaken when_taken = WhenTaken::fail;
  /// Hears of memory that is given back, at once.
  std::function<void(AddressRange)> released = {};
  /// Whether notes of all ranges are kept.
  KeepsRanges keeps_ranges = KeepsRanges::no;
  /// Whether giving memory back waits for all work on the device, as cudaFree does.
  bool release_waits = true;
  /// Larger reservations are not dictated.
  Bytes dictated_below{UINT64_MAX};
};

/// The sizes of the device on which every request so far would have been granted and refused as it
/// was: [at_least, below). Requests may differ on another size, too, which is for others to note:
/// they depend on the size of the device (allocator/options/size_margin.h) and on addresses
/// (PlacedRanges).
struct SameAnswers {
  Bytes at_least;
  Bytes below{UINT64_MAX};
};

/// The physical units that stand behind one reservation. Units next to each other and of one size
/// are kept as one run.
class MappedUnits {
 public:
  bool is_empty() const { return runs_.empty(); }
  bool has_any_in(AddressRange range) const;
  /// Requires: nothing in the range is mapped.
  void add(const UnitRange& range);
  /// Requires: the range is made of whole units that are mapped.
  void remove(const UnitRange& range);

 private:
  struct Run {
    Address end;
    Bytes unit;
  };
  using Runs = std::map<Address, Run>;
  /// The run that holds the address, or the end.
  Runs::const_iterator run_at(Address address) const;

  Runs runs_;
};

class SimulatedMemory {
 public:
  explicit SimulatedMemory(MemoryOptions options);

  allocator::MemoryInfo info() const;
  Bytes used() const { return used_; }
  const SameAnswers& same_answers() const { return same_answers_; }
  /// Null unless one is kept.
  const std::shared_ptr<PlacedRanges>& placed_ranges() const { return placed_ranges_; }
  /// The bytes that other users of the device hold now; more than the room left is allowed.
  void set_external(Bytes size) { external_ = size; }

  /// Throws DeviceError where a dictated address is not free and must be; so does reserve().
  std::optional<Address> allocate(Bytes size, StreamId stream);
  /// Gives the size that was released.
  Bytes release(Address at);

  std::optional<Address> reserve(Bytes size, StreamId stream);
  void release_reservation(Address at, Bytes size);

  struct MapResult {
    bool mapped = false;
    /// Also counts units that were given back because a later one did not fit.
    std::uint64_t units_created = 0;
  };
  MapResult map(const UnitRange& range);
  void unmap(const UnitRange& range);

 private:
  struct Reservation {
    Bytes size;
    MappedUnits units;
  };

  std::optional<Address> place(const PlaceRequest& request);
  /// Null unless allocations lie as a driver puts them. It has followed the work so far.
  DriverPlaces* driver_places();
  /// Requires: they do. The driver's place if it is free; a range that a rule put there may have
  /// it.
  std::optional<Address> drivers_place(Bytes asked);
  /// The rule's address if it is free.
  std::optional<Address> dictated_place(const PlaceRequest& request,
                                        const std::optional<Address>& at) const;
  Bytes rounded(Bytes size) const;
  /// Whether the device has so much left; notes for which sizes the answer is the same.
  bool grants(Bytes size);
  /// Requires: the range lies in one reservation.
  Reservation& reservation_of(const UnitRange& range);

  MemoryOptions options_;
  FreeGaps gaps_;
  Bytes used_;
  Bytes external_;
  SameAnswers same_answers_;
  std::shared_ptr<PlacedRanges> placed_ranges_;
  std::optional<DriverPlaces> driver_places_;
  /// Rounded sizes by address.
  std::unordered_map<std::uint64_t, Bytes> allocations_;
  std::map<Address, Reservation> reservations_;
};

}  // namespace vramlab::streams
