#include "replay/live/given_places.h"

#include "streams/device/simulated_device.h"

namespace vramlab::replay {

MakeDevice simulated_at(GivenPlaces& places) {
  return [&places](const streams::MemoryOptions& memory) {
    streams::MemoryOptions options = memory;
    options.when_taken = streams::WhenTaken::lowest_gap;
    options.placement = [&places](const streams::PlaceRequest& request) {
      return places.place(request);
    };
    return both_sides(std::make_shared<streams::SimulatedDevice>(std::move(options)));
  };
}

}  // namespace vramlab::replay
