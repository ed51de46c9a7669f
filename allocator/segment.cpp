#include "allocator/segment.h"

#include <algorithm>

namespace vramlab::allocator {

std::vector<SegmentIndex> SegmentTable::by_address() const {
  std::vector<SegmentIndex> alive;
  for (std::size_t i = 0; i < segments_.size(); ++i)
    if (segments_[i].is_alive) alive.push_back(static_cast<SegmentIndex>(i));
  std::sort(alive.begin(), alive.end(),
            [this](SegmentIndex a, SegmentIndex b) { return (*this)[a].base < (*this)[b].base; });
  return alive;
}

}  // namespace vramlab::allocator
