#include "replay/replayer/replay_report.h"

#include <algorithm>

namespace vramlab::replay {

RecordedCounts DeviceReport::counts() const {
  const auto bytes = [](std::int64_t number) { return Bytes{static_cast<std::uint64_t>(number)}; };
  return {device_calls.allocations, device_calls.releases, failures.size(),
          bytes(statistics.reserved_bytes.all.allocated),
          bytes(statistics.reserved_bytes.all.freed)};
}

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

namespace {

/// Memory got beyond the peak: as much had been given back before.
std::int64_t churn_of(const StatisticValue& reserved) {
  const std::int64_t at_start = reserved.current - reserved.allocated + reserved.freed;
  return std::max<std::int64_t>(0, at_start + reserved.allocated - reserved.peak);
}

}  // namespace

MetricValues run_metrics(const DeviceReport& device) {
  const StatisticValues& counted = device.statistics;
  const streams::DeviceCallTally& calls = device.device_call_tally;
  MetricValues values = {
      {"requests", metric_of(device.requests)},
      {"frees", metric_of(device.frees)},
      {"peak_allocated", counted.allocated_bytes.all.peak},
      {"peak_active", counted.active_bytes.all.peak},
      {"peak_requested", counted.requested_bytes.all.peak},
      {"peak_reserved", counted.reserved_bytes.all.peak},
      {"stranded_at_peak", metric_of(device.stranded_at_peak.value_or(Bytes{}).count)},
      {"end_allocated", counted.allocated_bytes.all.current},
      {"end_reserved", counted.reserved_bytes.all.current},
      {"device_allocs", metric_of(device.device_calls.allocations)},
      {"device_frees", metric_of(device.device_calls.releases)},
      {"units_mapped", metric_of(device.device_calls.units_created)},
      {"units_unmapped", metric_of(calls.count(streams::DeviceCall::unmap))},
      {"device_bytes", counted.reserved_bytes.all.allocated},
      {"device_churn", churn_of(counted.reserved_bytes.all)},
      {"alloc_retries", counted.num_alloc_retries},
      {"stream_synchronisations", counted.num_sync_all_streams},
      {"device_time", metric_of(device.device_time_ns)},
      {"out_of_memory", metric_of(device.failures.size())}};
  if (!device.stranded_at_peak)
    std::erase_if(values,
                  [](const MetricValue& value) { return value.name == "stranded_at_peak"; });
  return values;
}

MetricValues run_metrics(const ReplayReport& report) {
  std::vector<MetricValues> devices;
  for (const DeviceReport& device : report.devices) devices.push_back(run_metrics(device));
  if (devices.empty()) devices.push_back(run_metrics(DeviceReport{}));
  MetricValues values = sum_of_metrics(devices);
  if (report.host) std::ranges::copy(host_metrics(*report.host), std::back_inserter(values));
  return values;
}

}  // namespace vramlab::replay
