#include "replay/run/replayed_histories.h"

namespace vramlab::replay {

ReplayWatch watch_keeping(std::vector<DeviceHistory>& histories) {
  ReplayWatch watch;
  watch.at_end = [&histories](DeviceReplay& device) {
    DeviceHistory& history = histories.emplace_back();
    history.device = device.device().value;
    history.traits.names_pools = true;
    history.traits.requests_frees = true;
    history.events = device.take_history();
    history.stacks = device.history_stacks(history.events);
    history.final_segments = device.take_snapshot().segments;
  };
  return watch;
}

}  // namespace vramlab::replay
