#include "replay/recording/history_checks.h"

#include <set>

#include "allocator/blocks/block.h"
#include "allocator/options/settings.h"
#include "allocator/options/size_rules.h"
#include "allocator/types/bytes_and_ids.h"

namespace vramlab::replay {
namespace {

/// A small request needs a whole segment of this size, and so does the end of an expandable one.
constexpr Bytes largest_rounding = allocator::usual_large_segment;

/// Blocks of pinned memory are as large as their requests, under some options.
Bytes step_of(const DeviceHistory& history) {
  return history.traits.has_whole_blocks ? Bytes{1} : allocator::minimum_block;
}

bool is_place(Address at, Bytes step) {
  return at.value % step.count == 0 && at < allocator::highest_address;
}

bool is_range(Address at, Bytes size, Bytes step) {
  return is_place(at, step) && size.count % step.count == 0 && size > Bytes{0} &&
         size < allocator::largest_block && at + size < allocator::highest_address;
}

bool is_possible(const AllocatorEvent& event, Bytes step) {
  switch (event.action) {
    case Action::snapshot:
      return true;
    case Action::oom:
      // No allocator could serve some requests, and they failed.
      return event.size < allocator::request_limit;
    case Action::alloc:
    case Action::free_requested:
    case Action::free_completed:
      return is_place(event.address, step) && event.size < allocator::largest_block;
    default:
      return is_range(event.address, event.size, step);
  }
}

std::string sentence(const std::string& what, Address at, Bytes size) {
  return what + " of " + std::to_string(size.count) + " bytes at " + name_of(at) +
         " is none that an allocator gives";
}

/// Blocks follow each other without gaps and fill the segment.
bool is_filled(const SnapshotSegment& segment, Bytes step) {
  Address at = segment.address;
  for (const SnapshotBlock& block : segment.blocks) {
    if (block.address != at || !is_range(block.address, block.size, step)) return false;
    at = at + block.size;
  }
  return at == segment.address + segment.total_size;
}

}  // namespace

std::string impossible_part(const DeviceHistory& history) {
  const Bytes step = step_of(history);
  for (std::size_t i = 0; i < history.events.size(); ++i) {
    const AllocatorEvent& event = history.events[i];
    if (!is_possible(event, step))
      return "event " + std::to_string(i) + ": " +
             sentence(std::string(action_name(event.action)), event.address, event.size);
  }
  const SnapshotSegment* before = nullptr;
  for (const SnapshotSegment& segment : history.final_segments) {
    if (!is_range(segment.address, segment.total_size, step))
      return sentence("the final segment", segment.address, segment.total_size);
    if (before != nullptr && segment.address < before->address + before->total_size)
      return "two final segments overlap at " + name_of(segment.address);
    if (!is_filled(segment, step))
      return "the blocks of the final segment at " + name_of(segment.address) +
             " do not fill it one after another";
    before = &segment;
  }
  return {};
}

DeviceRoom room_of(const DeviceHistory& history) {
  Peak reserved;
  // Counted from the start, whose size is known at the end.
  std::set<Bytes> seen;
  bool was_limited = false;
  for (const std::size_t i : history.events.rare()) {
    const AllocatorEvent event = history.events[i];
    if (is_release(event.action))
      reserved.subtract(event.size);
    else if (is_segment_call(event.action))
      reserved.add(event.size);
    else if (event.action == Action::oom) {
      const Bytes free{event.address.value};
      seen.insert(reserved.bytes_now() + free);
      was_limited = was_limited ||
                    (!history.traits.lacks_device_free && free >= event.size + largest_rounding);
    }
  }
  const std::int64_t start = reserved.start_for(reserved_at_end(history));
  if (start < 0) return {{}, reserved.bytes(), std::nullopt, was_limited};
  DeviceRoom room{
      {static_cast<std::uint64_t>(start)}, reserved.above(start), std::nullopt, was_limited};
  if (seen.size() == 1 && !was_limited && !history.traits.lacks_device_free) {
    const Bytes total = room.reserved_at_start + *seen.begin();
    if (total >= room.peak_reserved) room.total = total;
  }
  return room;
}

}  // namespace vramlab::replay
