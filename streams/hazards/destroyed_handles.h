// DestroyedHandles: which streams and events were destroyed last, and by whom.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "allocator/words/ids.h"
#include "streams/hazards/hazard.h"

namespace vramlab::streams {

class DestroyedHandles {
 public:
  /// The event, or else the stream of the side.
  void add(std::optional<EventId> event, const HazardSide& side) {
    const Key key{event, event ? StreamAt{} : side.stream};
    last_[key] = {++count_, side};
    order_.emplace_back(count_, key);
    if (order_.size() <= most_remembered) return;
    const auto oldest = last_.find(order_.front().second);
    // Else its name was given, and destroyed, again.
    if (oldest->second.first == order_.front().first) last_.erase(oldest);
    order_.pop_front();
  }
  /// Null where it is not known.
  const HazardSide* find(std::optional<EventId> event, StreamAt stream) const {
    const auto found = last_.find({event, event ? StreamAt{} : stream});
    return found == last_.end() ? nullptr : &found->second.second;
  }

 private:
  using Key = std::pair<std::optional<EventId>, StreamAt>;

  static constexpr std::size_t most_remembered = 4096;

  std::uint64_t count_ = 0;
  std::map<Key, std::pair<std::uint64_t, HazardSide>> last_;
  std::deque<std::pair<std::uint64_t, Key>> order_;
};

}  // namespace vramlab::streams
