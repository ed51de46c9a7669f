#include "replay/whatif/request_shapes.h"

#include <algorithm>
#include <bit>

#include "allocator/options/size_rules.h"

namespace vramlab::replay {

using allocator::Bytes;

RequestShapes::RequestShapes(const Recording& recording) {
  for (const ProgramPart* part : recording.parts()) {
    for (const CompactEvent& event : part->program.events())
      if (event.kind() == CompactKind::malloc) {
        const Bytes bytes = part->program.shape(event).bytes;
        if (bytes.count > 0 && bytes < allocator::request_limit) sizes_.insert(bytes);
      }
    for (const StartingSegment& segment : part->start)
      largest_ = std::max(largest_, segment.segment.size());
  }
  if (!sizes_.empty())
    largest_ = std::max({largest_, Bytes{std::bit_ceil(sizes_.rbegin()->count)},
                         device_size_for_miss(*sizes_.rbegin(), {})});
}

bool RequestShapes::are_rounded_by(const allocator::Settings& settings) const {
  return std::ranges::any_of(
      sizes_, [&](Bytes size) { return round_request(size, settings) != round_request(size, {}); });
}

bool RequestShapes::reach(Bytes size) const { return largest_ >= size; }

bool RequestShapes::has_medium() const {
  return std::ranges::any_of(sizes_, [](Bytes size) {
    return size > allocator::small_limit && size < allocator::medium_limit;
  });
}

}  // namespace vramlab::replay
