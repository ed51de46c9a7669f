#include "replay/recording/device_room.h"

#include <set>

#include "allocator/options/settings.h"

namespace vramlab::replay {

/// A small request needs a whole segment of this size, and so does the end of an expandable one.
constexpr Bytes largest_rounding = allocator::usual_large_segment;

DeviceRoom room_of(const DeviceHistory& history) {
  Peak reserved;
  // Counted from the start, whose size is known at the end.
  std::set<Bytes> seen;
  // Something else refused a request for which there was room, such as a memory fraction.
  bool was_limited = false;
  for (const AllocatorEvent& event : history.events) {
    if (is_release(event.action))
      reserved.subtract(event.size);
    else if (is_segment_call(event.action))
      reserved.add(event.size);
    else if (event.action == Action::oom) {
      const Bytes free{event.address.value};
      seen.insert(reserved.bytes_now() + free);
      was_limited = was_limited || free >= event.size + largest_rounding;
    }
  }
  Bytes at_end;
  for (const SnapshotSegment& segment : history.final_segments) at_end += segment.total_size;
  const std::int64_t start = reserved.start_for(at_end);
  if (start < 0) return {{}, reserved.bytes(), std::nullopt};
  DeviceRoom room{{static_cast<std::uint64_t>(start)}, reserved.above(start), std::nullopt};
  if (seen.size() == 1 && !was_limited && !history.traits.lacks_device_free) {
    const Bytes total = room.reserved_at_start + *seen.begin();
    if (total >= room.peak_reserved) room.total = total;
  }
  return room;
}

}  // namespace vramlab::replay
