#include <nlohmann/json.hpp>

#include "tools/cli/commands/live/live_report.h"
#include "tools/cli/printers/json_text.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;

ordered_json gpu_json(const streams::GpuFacts& gpu) {
  return {{"index", gpu.index},
          {"name", gpu.name},
          {"compute_capability",
           std::to_string(gpu.compute_major) + "." + std::to_string(gpu.compute_minor)},
          {"memory_bytes", gpu.memory.count}};
}

ordered_json difference_json(const std::optional<replay::DecisionDifference>& found) {
  if (!found) return nullptr;
  return {{"event", or_null(found->event)},
          {"what", found->what},
          {"simulated", found->simulated},
          {"live", found->live}};
}

ordered_json device_json(const LiveOutcome& outcome, const replay::DeviceReport& device) {
  ordered_json json = {{"device", device.device.value},
                       {"device_memory_bytes", device.memory.count},
                       {"requests", device.requests},
                       {"frees", device.frees},
                       {"out_of_memory", device.failures.size()},
                       {"peak_allocated_bytes", device.peak_allocated.bytes.count},
                       {"peak_reserved_bytes", device.peak_reserved.bytes.count}};
  for (const replay::DecisionComparison& compared : outcome.comparisons) {
    if (compared.device != device.device) continue;
    json["same_decisions"] = !compared.difference.has_value();
    json["compared_events"] = compared.events;
    json["compared_memory_calls"] = compared.device_actions;
    json["first_difference"] = difference_json(compared.difference);
  }
  return json;
}

ordered_json calls_json(const std::vector<streams::DriverCallRow>& rows) {
  ordered_json calls = ordered_json::array();
  for (const streams::DriverCallRow& row : rows)
    calls.push_back({{"call", driver_call_name(row.kind)},
                     {"up_to_bytes", row.up_to.count},
                     {"count", row.count},
                     {"failed", row.failed},
                     {"median_nanoseconds", row.median_ns},
                     {"p95_nanoseconds", row.p95_ns},
                     {"max_nanoseconds", row.max_ns},
                     {"sum_nanoseconds", row.sum_ns}});
  return calls;
}

}  // namespace

std::string live_json(const LiveOutcome& outcome) {
  ordered_json devices = ordered_json::array();
  for (const replay::DeviceReport& device : outcome.report.devices)
    devices.push_back(device_json(outcome, device));
  const DriverMemory& memory = outcome.memory;
  const ordered_json json = {{"schema_version", 1},
                             {"file", outcome.file},
                             {"gpu", gpu_json(outcome.gpu)},
                             {"driver", outcome.gpu.driver_version},
                             {"reference", outcome.report.reference},
                             {"options", outcome.report.options},
                             {"events", outcome.report.events},
                             {"stopped_at", or_null(outcome.report.stopped_at)},
                             {"notes", outcome.report.notes},
                             {"same_decisions", outcome.is_same()},
                             {"devices", devices},
                             {"driver_memory",
                              {{"total_bytes", memory.total.count},
                               {"free_at_start_bytes", memory.free_at_start.count},
                               {"least_free_bytes", memory.least_free.count},
                               {"free_at_end_bytes", memory.free_at_end.count}}},
                             {"calls", calls_json(outcome.calls)}};
  return json_text(json);
}

std::string calibration_json(const Calibration& calibration) {
  ordered_json calls = ordered_json::array();
  for (const streams::DriverCallRow& call : calibration.calls)
    calls.push_back({{"call", driver_call_name(call.kind)},
                     {"bytes", call.up_to.count},
                     {"nanoseconds", call.median_ns},
                     {"p95_nanoseconds", call.p95_ns},
                     {"max_nanoseconds", call.max_ns},
                     {"count", call.count}});
  const ordered_json json = {{"schema_version", 1},
                             {"gpu", calibration.gpu.name},
                             {"driver", calibration.gpu.driver_version},
                             {"date", calibration.date},
                             {"calls", calls}};
  return json_text(json);
}

}  // namespace vramlab::tools
