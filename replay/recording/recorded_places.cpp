#include "replay/recording/recorded_places.h"

#include <algorithm>

#include "allocator/options/settings.h"

namespace vramlab::replay {

using streams::PlaceKind;

RecordedPlaces::RecordedPlaces(const DeviceHistory& history, const ExplainedHistory& explained)
    : reservations_below_(explained.placements.reservation + allocator::usual_large_segment) {
  const std::size_t at_start = explained.start.segments.size();
  for (const GivenSegment& segment : explained.start.segments)
    note_lowest(segment.is_expandable ? PlaceKind::reservation : PlaceKind::allocation,
                segment.base);
  std::vector<bool> is_placed(explained.placements.lives.size());
  for (LifeIndex life = 0; life < is_placed.size(); ++life) is_placed[life] = life < at_start;
  for (std::size_t i = 0; i < history.events.size(); ++i) {
    const AllocatorEvent& event = history.events[i];
    if (event.action == Action::segment_alloc)
      add({PlaceKind::allocation, event.address, event.size});
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

std::optional<Address> RecordedPlaces::place(const streams::PlaceRequest& request) {
  if (has_left_ || next_ == places_.size()) return std::nullopt;
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
