#include "replay/run/recorded_memory.h"

#include <algorithm>

#include "replay/run/recorded_limits.h"

namespace vramlab::replay {

using allocator::Action;
using allocator::Bytes;

namespace {

struct Held {
  Bytes reserved;
  Bytes requested;
};

Bytes requested_at(const StartingState& start) {
  Bytes requested;
  for (const allocator::GivenSegment& segment : start.segments)
    for (const allocator::GivenBlock& block : segment.blocks)
      if (block.use == allocator::GivenUse::live || block.use == allocator::GivenUse::waiting)
        requested += block.requested;
  return requested;
}

/// On a device of this size an expandable segment reserves as many addresses as were recorded.
Bytes total_for(Bytes reservation) {
  return {reservation.count / 9 * 8 + reservation.count % 9 * 8 / 9};
}

}  // namespace

RecordedMemory recorded_memory(const DeviceHistory& history, const StartingState& start) {
  Held held{reserved_at(start), requested_at(start)};
  RecordedMemory memory{held.reserved, held.requested, std::nullopt};
  for (const allocator::AllocatorEvent& event : history.events) {
    switch (event.action) {
      case Action::segment_alloc:
      case Action::segment_map:
        held.reserved += event.size;
        break;
      case Action::segment_free:
      case Action::segment_unmap:
        held.reserved = held.reserved - std::min(held.reserved, event.size);
        break;
      case Action::alloc:
        held.requested += event.size;
        break;
      case Action::free_completed:
        held.requested = held.requested - std::min(held.requested, event.size);
        break;
      case Action::oom: {
        // Less than what was held and asked for, and no more than what was held and free.
        Bytes bound = held.reserved + event.size - Bytes{1};
        if (!history.traits.lacks_device_free)
          bound = std::min(bound, held.reserved + Bytes{event.address.value});
        memory.bound = std::min(memory.bound.value_or(bound), bound);
        break;
      }
      default:
        break;
    }
    memory.peak_reserved = std::max(memory.peak_reserved, held.reserved);
    memory.peak_requested = std::max(memory.peak_requested, held.requested);
  }
  if (memory.bound) memory.bound = std::max(*memory.bound, memory.peak_reserved);
  return memory;
}

bool is_as_recorded(const ReplayConditions& conditions) {
  return !conditions.options && !conditions.memory && !conditions.memory_fraction &&
         !conditions.held_by_others;
}

ChosenMemory choose_memory(const RecordedMemory& recorded, Bytes reservation,
                           const ReplayConditions& conditions) {
  if (conditions.memory) return {*conditions.memory, "as given"};
  if (recorded.bound && !is_as_recorded(conditions))
    return {*recorded.bound, "inferred from the failed requests"};
  // Reservations of addresses go by the size of the device, which has at most so much.
  return {reservation == unknown_reservation ? boundless_memory : total_for(reservation),
          recorded.bound ? "requests that failed in the recording fail again" : ""};
}

}  // namespace vramlab::replay
