#include "replay/recording/recorded_device.h"

#include <algorithm>

#include "allocator/options/settings.h"
#include "allocator/types/bytes_and_ids.h"
#include "allocator/types/check.h"

namespace vramlab::replay {

void RecordedDevice::expect(std::size_t first, std::size_t end) {
  calls_.clear();
  at_ = 0;
  for (std::size_t i = first; i < end; ++i)
    if (is_segment_call(history_.events[i].action)) calls_.push_back(i);
}

std::optional<std::size_t> RecordedDevice::next() const {
  if (at_ == calls_.size()) return std::nullopt;
  return calls_[at_];
}

std::vector<std::size_t> RecordedDevice::expected_releases() const {
  std::vector<std::size_t> releases;
  for (std::size_t i = at_; i < calls_.size() && is_release(history_.events[calls_[i]].action); ++i)
    releases.push_back(calls_[i]);
  return releases;
}

std::optional<AllocatorEvent> RecordedDevice::expected() const {
  if (at_ == calls_.size()) return std::nullopt;
  return history_.events[calls_[at_]];
}

void RecordedDevice::differ(const std::string& asked) {
  ++wrong_count_;
  if (!difference_.empty()) return;
  const std::optional<AllocatorEvent> event = expected();
  difference_ = "recorded " + (!event ? std::string("no segment call") : event_text(*event)) +
                ", replayed " + asked;
}

bool RecordedDevice::is_held(Address at) const {
  const auto above = held_.upper_bound(at);
  if (above == held_.begin()) return false;
  const auto& [base, size] = *std::prev(above);
  return at == base || at < base + size;
}

/// Segments that were released in the recording may still be there in the replay.
bool RecordedDevice::is_any_held(Address at, Bytes size) const {
  const auto above = held_.lower_bound(at);
  return is_held(at) || (above != held_.end() && above->first < at + size);
}

std::optional<Address> RecordedDevice::allocate(Bytes size, StreamId stream) {
  const std::optional<AllocatorEvent> event = expected();
  if (!event || is_release(event->action)) {
    refused_ = size;
    return std::nullopt;
  }
  if (event->action != Action::segment_alloc || event->size != size || event->stream != stream ||
      is_held(event->address)) {
    differ("a segment_alloc of " + format_bytes(size));
    return std::nullopt;
  }
  ++at_;
  held_[event->address] = size;
  return event->address;
}

void RecordedDevice::release(Address at) {
  held_.erase(at);
  const std::optional<AllocatorEvent> event = expected();
  if (event && event->action == Action::segment_free && event->address == at)
    ++at_;
  else
    differ("a segment_free at " + name_of(at));
}

std::optional<Address> RecordedDevice::reserve(Bytes size, StreamId stream) {
  const std::optional<AllocatorEvent> event = expected();
  if (!event || is_release(event->action)) return std::nullopt;
  if (event->action != Action::segment_map || event->stream != stream ||
      is_any_held(event->address, size)) {
    differ("a reservation of its own");
    return std::nullopt;
  }
  held_[event->address] = Bytes{};
  return event->address;
}

bool RecordedDevice::map(const UnitRange& range) {
  const std::optional<AllocatorEvent> event = expected();
  if (!event || is_release(event->action)) {
    refused_ = range.size();
    return false;
  }
  if (event->action != Action::segment_map || event->address != range.at ||
      event->size != range.size()) {
    differ("a segment_map of " + format_bytes(range.size()) + " at " + name_of(range.at));
    return false;
  }
  ++at_;
  if (const auto above = held_.upper_bound(range.at); above != held_.begin()) {
    auto& [base, size] = *std::prev(above);
    size = std::max(size, range.at + range.size() - base);
  }
  return true;
}

void RecordedDevice::unmap(const UnitRange& range) {
  const std::optional<AllocatorEvent> event = expected();
  if (event && event->action == Action::segment_unmap && event->address == range.at &&
      event->size == range.size())
    ++at_;
  else
    differ("a segment_unmap of " + format_bytes(range.size()) + " at " + name_of(range.at));
}

EventId RecordedDevice::record_event(StreamId) {
  check(false, "a replay of a recording holds waiting blocks itself");
  return {};
}

bool RecordedDevice::is_complete(EventId) {
  check(false, "a replay of a recording holds waiting blocks itself");
  return false;
}

using streams::PlaceKind;

RecordedPlaces::RecordedPlaces(const DeviceHistory& history, const ExplainedHistory& explained)
    : reservations_below_(explained.placements.reservation == unknown_reservation
                              ? allocator::unlimited
                              : explained.placements.reservation + allocator::usual_large_segment) {
  const std::size_t at_start = explained.start.segments.size();
  for (const GivenSegment& segment : explained.start.segments)
    note_lowest(segment.is_expandable ? PlaceKind::reservation : PlaceKind::allocation,
                segment.base);
  std::vector<bool> is_placed(explained.placements.lives.size());
  for (LifeIndex life = 0; life < is_placed.size(); ++life) is_placed[life] = life < at_start;
  for (const std::size_t i : history.events.rare()) {
    const AllocatorEvent event = history.events[i];
    if (event.action == Action::segment_alloc)
      add({PlaceKind::allocation, event.address, event.size});
    if (event.action == Action::oom) failed_.push_back(i);
    if (event.action != Action::segment_map) continue;
    const LifeIndex life = explained.placements.life_of_event[i];
    if (life == no_life || is_placed[life]) continue;
    is_placed[life] = true;
    add({PlaceKind::reservation, explained.placements.lives[life].base,
         explained.placements.reservation});
  }
}

void RecordedPlaces::add(const Place& place) {
  note_lowest(place.kind, place.address);
  places_.push_back(place);
}

void RecordedPlaces::note_lowest(PlaceKind kind, Address at) {
  auto& lowest = kind == PlaceKind::allocation ? lowest_allocation_ : lowest_reservation_;
  lowest = std::min(lowest.value_or(at), at);
}

std::optional<Address> RecordedPlaces::lowest(PlaceKind kind) const {
  const auto& own = kind == PlaceKind::allocation ? lowest_allocation_ : lowest_reservation_;
  return own ? own : kind == PlaceKind::allocation ? lowest_reservation_ : lowest_allocation_;
}

std::optional<Address> RecordedPlaces::place(const streams::PlaceRequest& request,
                                             std::uint64_t event) {
  if (has_left_ || next_ == places_.size()) return std::nullopt;
  if (std::ranges::binary_search(failed_, event)) return std::nullopt;
  const Place& next = places_[next_];
  // A smaller reservation fits wherever one of the recorded size does. The recorded size is
  // the smallest of them; they are rounded up to the units of their pool.
  const bool is_it = next.kind == request.kind &&
                     (next.kind == PlaceKind::allocation ? next.size == request.size
                                                         : request.size < reservations_below_);
  has_left_ = !is_it;
  if (!is_it) return std::nullopt;
  ++next_;
  return next.address;
}

}  // namespace vramlab::replay
