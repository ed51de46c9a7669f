#include "replay/run/recorded_limits.h"

#include <algorithm>

namespace vramlab::replay {

using allocator::Action;
using allocator::AllocatorEvent;
using allocator::Bytes;

Bytes reserved_at(const StartingState& start) {
  Bytes reserved;
  for (const allocator::GivenSegment& segment : start.segments)
    for (const allocator::GivenBlock& block : segment.blocks)
      if (block.use != allocator::GivenUse::unmapped) reserved += block.size;
  return reserved;
}

RecordedLimits::RecordedLimits(const DeviceHistory& history, const StartingState& start,
                               Bytes memory)
    : history_(history),
      memory_(memory),
      reserved_(reserved_at(start)),
      limit_(memory),
      maps_memory_(std::ranges::any_of(history.events, [](const AllocatorEvent& event) {
        return event.action == Action::segment_map;
      })) {}

RecordedLimits::Sums RecordedLimits::sums_of(const RecordedCall& call,
                                             const std::set<std::size_t>& emptied) const {
  Sums sums;
  for (std::size_t i = call.first; i < call.end; ++i) {
    const AllocatorEvent& event = history_.events[i];
    if (is_release(event.action))
      sums.released += event.size;
    else if (is_segment_call(event.action))
      sums.got += event.size;
    sums.was_emptied = sums.was_emptied || emptied.contains(i);
  }
  return sums;
}

std::optional<Bytes> RecordedLimits::follow(const RecordedCall& call,
                                            const std::set<std::size_t>& emptied) {
  const Sums sums = sums_of(call, emptied);
  reserved_ = reserved_ - std::min(reserved_, sums.released) + sums.got;
  if (call.kind != RecordedCallKind::request) return std::nullopt;
  const Bytes before = limit_;
  const AllocatorEvent& last = history_.events[call.end - 1];
  const bool was_refused = sums.released > Bytes{} && sums.got > Bytes{} && !sums.was_emptied;
  if (last.action == Action::oom) {
    // Free memory that would have been enough was no help: something else was the limit. What an
    // expandable segment lacks for a request may be less than its size.
    const Bytes free{last.address.value};
    const bool was_full = !history_.traits.lacks_device_free && free < last.size && !maps_memory_;
    limit_ = was_full ? reserved_ + free : reserved_;
  } else if (was_refused || reserved_ > limit_) {
    limit_ = reserved_;
  }
  limit_ = std::min(limit_, memory_);
  if (limit_ == before) return std::nullopt;
  return memory_ - limit_;
}

}  // namespace vramlab::replay
