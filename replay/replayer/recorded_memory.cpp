#include "replay/replayer/recorded_memory.h"

#include <algorithm>

#include "allocator/options/size_rules.h"

namespace vramlab::replay {

Bytes reserved_at(const StartingState& start) {
  Bytes reserved;
  for (const GivenSegment& segment : start.segments) reserved += mapped_size(segment);
  return reserved;
}

std::optional<Bytes> steady_limit(const ExplainedHistory& explained,
                                  const std::set<std::size_t>& released_otherwise,
                                  Bytes device_memory) {
  const Inferences& inferred = explained.fidelity.inferred;
  // An out-of-memory tells more, and garbage shows that the device was not the limit.
  if (inferred.out_of_memory + inferred.garbage_collections + inferred.garbage_shaped > 0)
    return std::nullopt;
  Bytes below = allocator::unlimited;
  for (const auto& [first, missed] : explained.refusals) {
    const std::optional<RecordedCall> call = call_of(explained.calls, first);
    const auto otherwise = released_otherwise.lower_bound(first);
    if (otherwise == released_otherwise.end() || *otherwise >= call->end)
      below = std::min(below, missed);
  }
  const Bytes peak = explained.room.peak_reserved;
  if (below == allocator::unlimited || below <= peak) return std::nullopt;
  return device_memory >= peak && device_memory < below ? device_memory : peak;
}

MemoryOfOthers::MemoryOfOthers(const DeviceHistory& history, const PlacedHistory& placed,
                               Bytes memory)
    : history_(history),
      placed_(placed),
      memory_(memory),
      reserved_(reserved_at(placed.start)),
      limit_(memory),
      maps_memory_(has_rare_event(history, Action::segment_map)),
      needs_no_others_(placed.room.total == memory) {}

MemoryOfOthers::Sums MemoryOfOthers::sums_of(
    const RecordedCall& call, const std::set<std::size_t>& released_otherwise) const {
  Sums sums;
  if (!call.has_segment_calls) return sums;
  for (std::size_t i = call.first; i < call.end; ++i) {
    const AllocatorEvent& event = history_.events[i];
    if (is_release(event.action))
      sums.released += event.size;
    else if (is_segment_call(event.action))
      sums.got += event.size;
    sums.was_refused = sums.was_refused && !released_otherwise.contains(i);
  }
  return sums;
}

std::optional<Bytes> MemoryOfOthers::follow(const RecordedCall& call,
                                            const std::set<std::size_t>& released_otherwise) {
  const Sums sums = sums_of(call, released_otherwise);
  reserved_ = reserved_ - std::min(reserved_, sums.released) + sums.got;
  if (call.kind != RecordedCallKind::request) return std::nullopt;
  const Bytes before = limit_;
  const AllocatorEvent& last = history_.events[call.end - 1];
  const bool was_refused = sums.released > Bytes{} && sums.got > Bytes{} && sums.was_refused;
  if (last.action == Action::oom && placed_.exceeds_reserve(history_, call.end - 1)) {
    // No memory was short.
  } else if (last.action == Action::oom) {
    // Free memory that would have been enough was no help: something else was the limit. What an
    // expandable segment lacks for a request may be less than its size.
    const Bytes free{last.address.value};
    const bool was_full = !history_.traits.lacks_device_free && free < last.size && !maps_memory_;
    limit_ = was_full ? reserved_ + free : reserved_;
  } else if (was_refused || reserved_ > limit_) {
    limit_ = reserved_;
  }
  limit_ = std::min(limit_, memory_);
  if (needs_no_others_ || limit_ == before) return std::nullopt;
  return memory_ - limit_;
}

namespace {

struct Held {
  Bytes reserved;
  Bytes requested;
};

Bytes requested_at(const StartingState& start) {
  Bytes requested;
  for (const GivenSegment& segment : start.segments)
    for (const GivenBlock& block : segment.blocks)
      if (block.use == GivenUse::live || block.use == GivenUse::waiting)
        requested += block.requested;
  return requested;
}

}  // namespace

namespace {

void count_entry(const AllocatorEvent& event, RecordedCounts& counts) {
  if (event.action == Action::segment_alloc) ++counts.device_allocs;
  if (event.action == Action::segment_free) ++counts.device_frees;
  if (event.action == Action::oom) ++counts.failures;
  if (is_release(event.action))
    counts.released += event.size;
  else if (is_segment_call(event.action))
    counts.got += event.size;
}

}  // namespace

RecordedMemory recorded_memory(const DeviceHistory& history, const PlacedHistory& placed) {
  Held held{reserved_at(placed.start), requested_at(placed.start)};
  RecordedMemory memory{held.reserved, held.requested, std::nullopt, placed.room.total,
                        history.noted_limit};
  for (std::size_t i = 0; i < history.events.size(); ++i) {
    const AllocatorEvent event = history.events[i];
    count_entry(event, memory.counts);
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
        if (placed.exceeds_reserve(history, i)) break;
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
  if (memory.total) memory.bound = memory.total;
  return memory;
}

bool is_as_recorded(const ReplayConditions& conditions) {
  return !conditions.options && !conditions.memory && !conditions.memory_fraction &&
         !conditions.held_by_others && !conditions.first_of_private_pools &&
         !conditions.segment_order && conditions.starting_memory == StartingMemory::as_recorded;
}

ChosenMemory choose_memory(const RecordedMemory& recorded, std::optional<Bytes> shown_device,
                           const ReplayConditions& conditions) {
  if (conditions.memory) return {*conditions.memory, "as given"};
  if (recorded.total) return {*recorded.total, "told by the failed requests"};
  if (recorded.noted_limit && !is_as_recorded(conditions))
    return {*recorded.noted_limit, "noted by the dry run"};
  if (recorded.bound && !is_as_recorded(conditions))
    return {*recorded.bound, "inferred from the failed requests"};
  // Reservations of addresses go by the size of the device, which has at most so much.
  return {shown_device.value_or(boundless_memory),
          recorded.bound ? "requests that failed in the recording fail again" : ""};
}

Bytes kept_beside(const RecordedMemory& recorded, std::optional<Bytes> shown_device) {
  if (!recorded.total || !shown_device) return {};
  const auto reserved_on = [](Bytes device) {
    return allocator::reservation_size(device, allocator::small_segment);
  };
  if (reserved_on(*shown_device) <= reserved_on(*recorded.total)) return {};
  return *shown_device - *recorded.total;
}

}  // namespace vramlab::replay
