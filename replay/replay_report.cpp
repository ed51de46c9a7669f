#include "replay/replay_report.h"

#include <algorithm>

namespace vramlab::replay {

bool ReplayReport::has_failures() const {
  return std::ranges::any_of(devices,
                             [](const DeviceReport& device) { return !device.failures.empty(); });
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
