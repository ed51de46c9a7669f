// SimulatedMemory: the memory of a simulated device. It counts bytes, places ranges of addresses
// and keeps the physical units behind reservations. It knows no streams' work and no time.
//
// A range takes the lowest gap of its window that is large enough, unless a placement rule dictates
// the address. Classic allocations are rounded up to the granularity; units count at their size.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>

#include "allocator/types/device.h"
#include "streams/memory/address_range.h"
#include "streams/memory/free_gaps.h"
#include "streams/memory/placed_ranges.h"

namespace vramlab::streams {

struct PlaceRequest {
  PlaceKind kind = PlaceKind::allocation;
  /// As it was asked for, before rounding.
  Bytes size;
  StreamId stream;
};

/// Dictates the address of one request, or leaves it to the lowest gap by giving nothing.
using PlacementRule = std::function<std::optional<Address>(const PlaceRequest&)>;

/// What happens where the rule's address is not free.
enum class WhenTaken : std::uint8_t { fail, lowest_gap };

struct MemoryOptions {
  Bytes total;
  Bytes granularity{2ULL << 20};
  AddressRange allocations{{0x7f0000000000}, {0x8000000000000000}};
  AddressRange reservations{{0x300000000000}, {0x7f0000000000}};
  /// Empty: always the lowest gap.
  PlacementRule placement = {};
  WhenTaken when_taken = WhenTaken::fail;
  /// Hears of memory that is given back, at once.
  std::function<void(AddressRange)> released = {};
  /// Whether it is kept where ranges were.
  KeepsRanges keeps_ranges = KeepsRanges::no;
  /// Larger reservations are not dictated.
  Bytes dictated_below{UINT64_MAX};
};

/// The sizes of the device on which every request so far would have been granted and refused as it
/// was: [at_least, below). That requests are the same is for others to say: those who ask look at
/// the size of the device (allocator/options/size_margin.h) and at addresses (PlacedRanges).
struct SameAnswers {
  Bytes at_least;
  Bytes below{UINT64_MAX};
};

/// Which physical units stand behind one reservation. Units next to each other and of one size are
/// kept as one run.
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
  /// What other users of the device hold now. May be more than there is room for.
  void set_external(Bytes size) { external_ = size; }

  /// Throws DeviceError where a dictated address is not free and must be; so does reserve().
  std::optional<Address> allocate(Bytes size, StreamId stream);
  /// Says how much it was.
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

  std::optional<Address> place(const PlaceRequest& request) const;
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
  /// Rounded sizes by address.
  std::unordered_map<std::uint64_t, Bytes> allocations_;
  std::map<Address, Reservation> reservations_;
};

}  // namespace vramlab::streams
