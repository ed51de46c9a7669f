// FreeGaps: which addresses are free, and the lowest gap that is large enough. With it stands
// AddressRange, the half-open range [begin, end) of addresses.
//
// Gaps stand in address order in chunks of bounded length, each chunk with the size of its largest
// gap: a search passes over whole chunks and stays fast with tens of thousands of gaps.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "allocator/types/bytes_and_ids.h"

namespace vramlab::streams {

struct AddressRange {
  Address begin;
  Address end;

  Bytes size() const { return end - begin; }
  bool is_empty() const { return begin == end; }
  friend bool operator==(const AddressRange&, const AddressRange&) = default;
};

class FreeGaps {
 public:
  /// All of `whole` is free at first.
  explicit FreeGaps(AddressRange whole);

  struct Wish {
    Bytes size;
    Bytes alignment;
    AddressRange window;
  };
  /// The lowest aligned address in the window with that much free behind it, still in the window.
  std::optional<Address> lowest_fit(const Wish& wish) const;

  bool is_free(AddressRange range) const;
  /// Requires: the range is free and not empty.
  void take(AddressRange range);
  /// Requires: none of the range is free, and it is not empty.
  void give_back(AddressRange range);

  std::size_t gap_count() const;

 private:
  struct Chunk {
    std::vector<AddressRange> gaps;
    Bytes largest;
  };
  /// The place of a gap; one past the last is {chunk count, 0}.
  struct Position {
    std::size_t chunk = 0;
    std::size_t index = 0;
  };

  Position first_gap_ending_after(Address address) const;
  std::optional<Position> previous(Position position) const;
  const AddressRange* gap_at(Position position) const;
  void set_gap(Position position, AddressRange gap);
  void insert_before(Position position, AddressRange gap);
  void erase(Position position);

  /// No chunk is empty.
  std::vector<Chunk> chunks_;
};

}  // namespace vramlab::streams
