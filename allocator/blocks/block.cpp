#include "allocator/blocks/block.h"

#include <algorithm>

namespace vramlab::allocator {

UsesIndex StreamUsesTable::create() {
  if (unused_.empty()) {
    uses_.emplace_back();
    return static_cast<UsesIndex>(uses_.size() - 1);
  }
  const UsesIndex index = unused_.back();
  unused_.pop_back();
  return index;
}

void StreamUsesTable::destroy(UsesIndex index) {
  StreamUses& uses = (*this)[index];
  uses.streams.clear();
  uses.in_capture.clear();
  uses.markers.clear();
  uses.outstanding_events = 0;
  unused_.push_back(index);
}

void add_stream(std::vector<StreamId>& ascending, StreamId stream) {
  const auto place = std::lower_bound(ascending.begin(), ascending.end(), stream);
  if (place == ascending.end() || *place != stream) ascending.insert(place, stream);
}

}  // namespace vramlab::allocator
