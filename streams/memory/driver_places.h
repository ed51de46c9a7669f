// DriverPlaces: the addresses that NVIDIA's driver for Linux gives to cuMemAlloc, by the rules that
// an H200 keeps (docs/reference/driver_places.md, with what was seen).
//
// The driver reserves addresses in regions of whole 32 MiB. A request goes to the newest region
// that has a gap for it, there into the smallest such gap. Where none has, a new region is made at
// the top of the highest hole between regions that is 32 MiB larger; so new regions lie below those
// before, until some are given back. A region whose last range is released is given back at once.
// The first two regions belong to the context; the first kernel of a process and the first work of
// a library change what is free in them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "streams/memory/free_gaps.h"
#include "streams/memory/free_ranges.h"

namespace vramlab::streams {

/// Work of a process on a device so far.
enum class WorkSoFar : std::uint8_t { none, kernels, libraries };

class DriverPlaces {
 public:
  /// The context's regions lie at the end of the window.
  explicit DriverPlaces(AddressRange window);

  /// Takes a range; gives nothing where the window has no room. Requires: the size is not empty.
  std::optional<Address> take(Bytes size);
  /// Whether take() gave this range and has it still.
  bool has(Address at) const { return held_.contains(at); }
  /// Requires: the range is held.
  void give_back(Address at);

  /// The process has done so much; less than before changes nothing.
  void reach(WorkSoFar work);

 private:
  struct Region {
    AddressRange range;
    FreeRanges gaps;
    Bytes in_use;
  };
  struct Held {
    Bytes size;
    std::uint64_t region = 0;
  };

  void launch_first_kernel();
  /// The newest region with such a gap.
  std::optional<std::uint64_t> region_with(Bytes size) const;
  std::optional<std::uint64_t> make_region(Bytes size);
  void remove_region(std::uint64_t number);
  void free_part(std::uint64_t number, AddressRange part);
  Address take_in(std::uint64_t number, Bytes size);
  void note_room(std::uint64_t number);
  void forget_room(std::uint64_t number);

  /// By the order in which they were made.
  std::map<std::uint64_t, Region> regions_;
  std::uint64_t next_region_ = 0;
  std::map<Address, Held> held_;
  FreeRanges holes_;
  /// Numbers of regions by their largest gap.
  std::map<Bytes, std::set<std::uint64_t>> with_room_;
  WorkSoFar work_ = WorkSoFar::none;
};

}  // namespace vramlab::streams
