// GivenPlaces: puts a simulated device's segments and reservations where another device put its
// own. The allocator prefers the lowest of equal addresses, so two runs decide alike only where
// their addresses are in the same order; with the same addresses, everything can be compared.
#pragma once

#include <deque>
#include <span>

#include "replay/live/logged_device.h"
#include "streams/memory/simulated_memory.h"

namespace vramlab::replay {

class GivenPlaces {
 public:
  /// What the other device did next.
  void add(std::span<const DeviceAction> actions) {
    for (const DeviceAction& action : actions)
      if (action.was_granted && (action.kind == DeviceAction::Kind::allocate ||
                                 action.kind == DeviceAction::Kind::reserve))
        places_.push_back(action);
  }
  /// The next place, where it is for such a request; otherwise the device chooses.
  std::optional<allocator::Address> place(const streams::PlaceRequest& request) {
    const auto kind = request.kind == streams::PlaceKind::allocation ? DeviceAction::Kind::allocate
                                                                     : DeviceAction::Kind::reserve;
    if (places_.empty() || places_.front().kind != kind || places_.front().size != request.size)
      return std::nullopt;
    const allocator::Address at = places_.front().at;
    places_.pop_front();
    return at;
  }

 private:
  std::deque<DeviceAction> places_;
};

/// Simulated devices with these places, which must outlive them.
MakeDevice simulated_at(GivenPlaces& places);

}  // namespace vramlab::replay
