#include "replay/run/replay_report.h"

#include <algorithm>

namespace vramlab::replay {

bool ReplayReport::has_failures() const {
  return std::ranges::any_of(devices,
                             [](const DeviceReport& device) { return !device.failures.empty(); });
}

std::optional<std::string> empty_fraction_note(const DeviceReport& device,
                                               const std::optional<double>& memory_fraction) {
  if (!memory_fraction || !device.memory_origin.empty()) return std::nullopt;
  return "device " + std::to_string(device.device.value) +
         ": its memory size is unknown, so a memory fraction limits nothing: give "
         "--device-memory";
}

}  // namespace vramlab::replay
