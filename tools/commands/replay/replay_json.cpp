#include "tools/commands/replay/replay_outcome.h"

#include <nlohmann/json.hpp>

#include "allocator/readonly/out_of_memory.h"
#include "replay/run/replay_report.h"
#include "tools/printers/json_text.h"

namespace vramlab::tools {
namespace {

using allocator::Bytes;
using nlohmann::ordered_json;
using replay::DeviceReport;
using replay::FailedRequest;
using replay::ReachedPeak;

ordered_json peak_json(const ReachedPeak& peak) {
  ordered_json json = {{"bytes", peak.bytes.count}, {"event", peak.event}};
  json["time_ns"] = or_null(peak.time_ns);
  return json;
}

ordered_json failure_json(const FailedRequest& failure) {
  const allocator::OutOfMemory& figures = failure.figures;
  return {{"event", failure.event},
          {"stream", failure.stream.value},
          {"requested_bytes", figures.request.count},
          {"device_request_bytes", figures.device_size.count},
          {"device_free_bytes", figures.device_free.count},
          {"allocated_bytes", figures.allocated.count},
          {"reserved_bytes", figures.reserved.count},
          {"message", out_of_memory_message(figures)}};
}

ordered_json pool_json(const std::optional<streams::OrderedPoolCounts>& counts) {
  if (!counts) return nullptr;
  return {{"reused", counts->reused},
          {"made_to_wait", counts->made_to_wait},
          {"moved", counts->moved},
          {"grown", counts->grown},
          {"units_created", counts->units_created},
          {"units_moved", counts->units_moved},
          {"units_released", counts->units_released}};
}

/// Steps of `events_per_step` events from event 0 on; of each the most that was held.
ordered_json curve_json(const replay::MemoryCurve& curve) {
  ordered_json allocated = ordered_json::array();
  ordered_json reserved = ordered_json::array();
  for (const replay::MemoryLevel& step : curve.steps()) {
    allocated.push_back(step.allocated.count);
    reserved.push_back(step.reserved.count);
  }
  return {{"events_per_step", curve.events_per_step()},
          {"last_event", curve.last_event()},
          {"allocated_bytes", allocated},
          {"reserved_bytes", reserved}};
}

ordered_json device_json(const DeviceReport& device) {
  const allocator::StatisticValues& statistics = device.statistics;
  ordered_json json;
  json["device"] = device.device.value;
  json["memory_bytes"] =
      device.memory_origin.empty() ? ordered_json(nullptr) : ordered_json(device.memory.count);
  json["memory_origin"] = device.memory_origin;
  json["held_by_others_bytes"] = or_null(device.held_by_others);
  json["requests"] = device.requests;
  json["frees"] = device.frees;
  json["peak_allocated"] = peak_json(device.peak_allocated);
  json["peak_reserved"] = peak_json(device.peak_reserved);
  json["peak_requested_bytes"] = statistics.requested_bytes.all.peak;
  json["peak_active_bytes"] = statistics.active_bytes.all.peak;
  json["recorded_peak_requested_bytes"] = or_null(device.recorded_peak_requested);
  json["recorded_peak_reserved_bytes"] = or_null(device.recorded_peak_reserved);
  json["end"] = {{"allocated_bytes", statistics.allocated_bytes.all.current},
                 {"requested_bytes", statistics.requested_bytes.all.current},
                 {"active_bytes", statistics.active_bytes.all.current},
                 {"reserved_bytes", statistics.reserved_bytes.all.current},
                 {"inactive_split_bytes", statistics.inactive_split_bytes.all.current},
                 {"segments", statistics.segment.all.current}};
  json["device_allocs"] = device.device_calls.allocations;
  json["device_frees"] = device.device_calls.releases;
  json["units_mapped"] = device.device_calls.units_created;
  json["alloc_retries"] = statistics.num_alloc_retries;
  json["stream_ordered"] = pool_json(device.pool);
  json["metrics"] = metrics_json(run_metrics(device));
  json["curve"] = curve_json(device.curve);
  json["out_of_memory"] = ordered_json::array();
  for (const FailedRequest& failure : device.failures)
    json["out_of_memory"].push_back(failure_json(failure));
  return json;
}

}  // namespace

std::string replay_json(const ReplayOutcome& outcome) {
  const replay::ReplayReport& report = outcome.report;
  ordered_json json = {{"schema_version", 1},
                       {"file", outcome.file},
                       {"reference", report.reference},
                       {"options", report.options},
                       {"events", report.events}};
  json["stopped_at"] = or_null(report.stopped_at);
  json["notes"] = report.notes;
  json["metrics"] = metrics_json(run_metrics(report));
  json["out_of_memory"] = outcome.explained;
  json["devices"] = ordered_json::array();
  for (const DeviceReport& device : report.devices) json["devices"].push_back(device_json(device));
  return json_text(json);
}

}  // namespace vramlab::tools
