#include "replay/replay_report.h"

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
         ": how much memory it has is not known, so a fraction of it limits nothing: give "
         "--device-memory";
}

DeviceReport report_of(const DeviceReplay& replay) {
  DeviceReport report;
  report.device = replay.device();
  report.memory = replay.memory();
  report.requests = replay.request_count();
  report.frees = replay.free_count();
  report.peak_allocated = replay.peak_allocated();
  report.peak_reserved = replay.peak_reserved();
  report.statistics = replay.statistics();
  report.device_calls = replay.device_calls();
  report.failures = replay.failures();
  return report;
}

}  // namespace vramlab::replay
