#include "allocator/blocks/segment.h"

#include <iterator>

namespace vramlab::allocator {

SegmentIndex SegmentTable::create(const Segment& segment) {
  check(segment.base + segment.size <= highest_address && segment.size < largest_block,
        "a segment lies below the highest address and is smaller than the largest block");
  if (unused_.empty()) {
    unused_.push_back(static_cast<SegmentIndex>(segments_.size()));
    segments_.emplace_back();
  }
  const SegmentIndex index = unused_.back();
  unused_.pop_back();
  (*this)[index] = segment;
  if (segment.is_expandable) ++expandable_count_;
  check(by_address_.emplace(segment.base, index).second, "no two segments begin at one address");
  return index;
}

void SegmentTable::destroy(SegmentIndex index) {
  by_address_.erase((*this)[index].base);
  if ((*this)[index].is_expandable) --expandable_count_;
  unused_.push_back(index);
}

SegmentIndex SegmentTable::containing(Address address) const {
  const auto after = by_address_.upper_bound(address);
  check(after != by_address_.begin(), "a block lies in a segment");
  return std::prev(after)->second;
}

}  // namespace vramlab::allocator
