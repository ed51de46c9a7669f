#include "allocator/history.h"

#include <algorithm>

namespace vramlab::allocator {

void History::set_capacity(std::size_t entries) {
  // Put into order first: what a smaller ring keeps are the newest entries.
  std::rotate(ring_.begin(), ring_.begin() + static_cast<std::ptrdiff_t>(has_wrapped_ ? next_ : 0),
              ring_.begin() + static_cast<std::ptrdiff_t>(has_wrapped_ ? room_ : 0));
  std::size_t held = has_wrapped_ ? room_ : next_;
  if (held > entries) {
    ring_.erase(ring_.begin(), ring_.begin() + static_cast<std::ptrdiff_t>(held - entries));
    held = entries;
  }
  capacity_ = entries;
  room_ = std::min(ring_.size(), entries);
  next_ = held;
  has_wrapped_ = false;
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

AllocatorEvent History::decode(const Entry& entry) const {
  const auto lane = static_cast<std::size_t>(entry.lane);
  const LaneName name = lane < lanes_.size() ? lanes_[lane] : LaneName{};
  return {entry.action, {entry.address}, {entry.size}, name.stream, name.pool, entry.time_us};
}

std::vector<AllocatorEvent> History::entries() const {
  std::vector<AllocatorEvent> result;
  result.reserve(has_wrapped_ ? room_ : next_);
  if (has_wrapped_)
    for (std::size_t i = next_; i < room_; ++i) result.push_back(decode(ring_[i]));
  for (std::size_t i = 0; i < next_; ++i) result.push_back(decode(ring_[i]));
  return result;
}

}  // namespace vramlab::allocator
