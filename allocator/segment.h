// Segment: one range got from the device by one call, or one reservation that is mapped piece by
// piece. SegmentTable keeps them by index.
#pragma once

#include <vector>

#include "allocator/block.h"
#include "allocator/ids.h"

namespace vramlab::allocator {

struct Segment {
  Address base;
  /// Of an expandable one: the reserved addresses, mapped or not.
  Bytes size;
  /// Of an expandable one: the size of its physical units.
  Bytes unit;
  Lane* lane = nullptr;
  BlockIndex first = BlockIndex::none;
  bool is_expandable = false;
  bool is_alive = false;
};

class SegmentTable {
 public:
  Segment& operator[](SegmentIndex index) { return segments_[static_cast<std::uint32_t>(index)]; }
  const Segment& operator[](SegmentIndex index) const {
    return segments_[static_cast<std::uint32_t>(index)];
  }

  SegmentIndex create(const Segment& segment) {
    if (unused_.empty()) {
      segments_.push_back(segment);
      return static_cast<SegmentIndex>(segments_.size() - 1);
    }
    const SegmentIndex index = unused_.back();
    unused_.pop_back();
    (*this)[index] = segment;
    return index;
  }

  void destroy(SegmentIndex index) {
    (*this)[index] = {};
    unused_.push_back(index);
  }

  /// Every segment alive, by ascending address.
  std::vector<SegmentIndex> by_address() const;

 private:
  std::vector<Segment> segments_;
  std::vector<SegmentIndex> unused_;
};

}  // namespace vramlab::allocator
