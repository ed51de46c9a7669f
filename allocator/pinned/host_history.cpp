#include "allocator/pinned/host_history.h"

#include <algorithm>

namespace vramlab::allocator {

void HostHistory::set(const HostRecording& recording) {
  is_on_ = recording.enabled;
  level_ = recording.enabled ? recording.level : HostStackLevel::never;
  if (recording.enabled) limit_ = std::max<std::uint64_t>(recording.limit, 1);
  if (!recording.clear) return;
  ring_.clear();
  position_ = 0;
}

MaybeHostStack HostHistory::of_request(HostStack stack) const {
  if (!is_on_ || level_ < HostStackLevel::state) return std::nullopt;
  return stack;
}

MaybeHostStack HostHistory::of_free(HostStack stack) const {
  if (level_ < HostStackLevel::all) return std::nullopt;
  return stack;
}

void HostHistory::record(HostEvent event) {
  if (!is_on_) return;
  if (level_ < HostStackLevel::alloc) event.stack.reset();
  if (ring_.size() < limit_) {
    ring_.push_back(event);
    return;
  }
  ring_[position_++] = event;
  // A limit below the number of entries, which the reference does not define, starts over too.
  if (position_ >= limit_) position_ = 0;
}

std::vector<HostEvent> HostHistory::events() const {
  const auto oldest = ring_.begin() + static_cast<std::ptrdiff_t>(position_);
  std::vector<HostEvent> events(oldest, ring_.end());
  events.insert(events.end(), ring_.begin(), oldest);
  return events;
}

}  // namespace vramlab::allocator
