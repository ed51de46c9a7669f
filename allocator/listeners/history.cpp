#include "allocator/listeners/history.h"

#include <algorithm>

namespace vramlab::allocator {

void History::set_capacity(std::size_t entries) {
  put_in_order();
  keep_newest(std::min(capacity_, entries));
  capacity_ = entries;
  room_ = std::min(ring_.size(), entries);
}

void History::put_in_order() {
  if (!has_wrapped_) return;
  const auto oldest = ring_.begin() + static_cast<std::ptrdiff_t>(next_);
  std::rotate(ring_.begin(), oldest, ring_.begin() + static_cast<std::ptrdiff_t>(room_));
  next_ = room_;
  has_wrapped_ = false;
}

/// Requires: the ring is in order.
void History::keep_newest(std::size_t entries) {
  std::size_t first = next_;
  std::size_t kept = 0;
  while (first > 0 && kept < entries) kept += ring_[--first].is_completed_too ? 2 : 1;
  if (kept > entries) {
    // Only the second of the oldest pair is kept.
    ring_[first].action = Action::free_completed;
    ring_[first].is_completed_too = false;
  }
  ring_.erase(ring_.begin(), ring_.begin() + static_cast<std::ptrdiff_t>(first));
  next_ -= first;
}

void History::prepare(std::size_t entries) {
  const std::size_t wanted = std::min(entries, capacity_);
  if (has_wrapped_ || wanted <= room_) return;
  ring_.resize(wanted);
  room_ = wanted;
}

void History::make_room() {
  if (room_ < capacity_ && !has_wrapped_) {
    constexpr std::size_t first_room = 4096;
    room_ = std::min(capacity_, std::max(first_room, room_ * 2));
    if (ring_.size() < room_) ring_.resize(room_);
    return;
  }
  has_wrapped_ = true;
  next_ = 0;
}

void History::lane_opened(const Lane& lane) {
  const auto index = static_cast<std::size_t>(lane.index);
  if (lanes_.size() <= index) lanes_.resize(index + 1);
  lanes_[index] = {lane.stream, lane.pool->id};
}

void History::snapshot_taken(Bytes active) {
  constexpr LaneIndex no_lane{std::numeric_limits<std::uint32_t>::max()};
  record(Action::snapshot, 0, active, no_lane);
}

void History::decode(const Entry& entry, std::vector<AllocatorEvent>& into) const {
  const auto lane = static_cast<std::size_t>(entry.lane);
  const LaneName name = lane < lanes_.size() ? lanes_[lane] : LaneName{};
  into.push_back(
      {entry.action, {entry.address}, {entry.size}, name.stream, name.pool, entry.time_us});
  if (!entry.is_completed_too) return;
  into.push_back(into.back());
  into.back().action = Action::free_completed;
}

std::vector<AllocatorEvent> History::entries() const {
  std::vector<AllocatorEvent> result;
  result.reserve(2 * (has_wrapped_ ? room_ : next_));
  if (has_wrapped_)
    for (std::size_t i = next_; i < room_; ++i) decode(ring_[i], result);
  for (std::size_t i = 0; i < next_; ++i) decode(ring_[i], result);
  if (result.size() > capacity_)
    result.erase(result.begin(), result.end() - static_cast<std::ptrdiff_t>(capacity_));
  return result;
}

}  // namespace vramlab::allocator
