// Segment: one range got from the device by one call, or one reservation that is mapped piece by
// piece. SegmentTable keeps them by index and finds them by address.
#pragma once

#include <map>
#include <vector>

#include "allocator/blocks/block.h"
#include "allocator/types/ids.h"

namespace vramlab::allocator {

struct Segment {
  Address base;
  /// In an expandable one: the reserved addresses, mapped or not.
  Bytes size;
  /// In an expandable one: the size of its physical units.
  Bytes unit;
  LaneIndex lane{};
  BlockIndex first = BlockIndex::none;
  bool is_expandable = false;
};

class SegmentTable {
 public:
  Segment& operator[](SegmentIndex index) { return segments_[static_cast<std::uint32_t>(index)]; }
  const Segment& operator[](SegmentIndex index) const {
    return segments_[static_cast<std::uint32_t>(index)];
  }

  SegmentIndex create(const Segment& segment);
  void destroy(SegmentIndex index);

  /// The segment that an address lies in. Requires: there is one.
  SegmentIndex containing(Address address) const;
  /// All segments, by ascending base address.
  const std::map<Address, SegmentIndex>& by_address() const { return by_address_; }

 private:
  std::vector<Segment> segments_;
  std::vector<SegmentIndex> unused_;
  std::map<Address, SegmentIndex> by_address_;
};

}  // namespace vramlab::allocator
