#include "tools/cli/commands/replay/replay_outcome.h"

#include <nlohmann/json.hpp>

#include "allocator/checks/out_of_memory.h"
#include "replay/replayer/replay_report.h"
#include "tools/cli/commands/replay/replay_host.h"
#include "tools/cli/printers/json_text.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;
using replay::DeviceReport;
using replay::FailedRequest;
using replay::ReachedPeak;

ordered_json peak_json(const ReachedPeak& peak) {
  return {{"bytes", peak.bytes.count}, {"event", peak.event}, {"time_ns", or_null(peak.time_ns)}};
}

ordered_json failure_json(const FailedRequest& failure) {
  const OutOfMemory& figures = failure.figures;
  return {{"event", failure.event},
          {"stream", failure.stream.value},
          {"requested_bytes", figures.request.count},
          {"device_request_bytes", figures.device_size.count},
          {"device_free_bytes", figures.device_free.count},
          {"allocated_bytes", figures.allocated.count},
          {"reserved_bytes", figures.reserved.count},
          {"message", out_of_memory_message(figures)}};
}

ordered_json pool_json(const streams::OrderedPoolCounts& counts) {
  return {{"reused", counts.reused},
          {"made_to_wait", counts.made_to_wait},
          {"moved", counts.moved},
          {"grown", counts.grown},
          {"units_created", counts.units_created},
          {"units_moved", counts.units_moved},
          {"units_released", counts.units_released}};
}

/// Steps of `events_per_step` events from event 0 on; of each the most that was held.
ordered_json curve_json(const replay::MemoryCurve& curve) {
  const auto held = [&](Bytes replay::MemoryLevel::*part) {
    return json_list(curve.steps(), [part](const auto& step) { return (step.*part).count; });
  };
  return {{"events_per_step", curve.events_per_step()},
          {"last_event", curve.last_event()},
          {"allocated_bytes", held(&replay::MemoryLevel::allocated)},
          {"reserved_bytes", held(&replay::MemoryLevel::reserved)}};
}

ordered_json end_json(const StatisticValues& statistics) {
  return {{"allocated_bytes", statistics.allocated_bytes.all.current},
          {"requested_bytes", statistics.requested_bytes.all.current},
          {"active_bytes", statistics.active_bytes.all.current},
          {"reserved_bytes", statistics.reserved_bytes.all.current},
          {"inactive_split_bytes", statistics.inactive_split_bytes.all.current},
          {"segments", statistics.segment.all.current}};
}

ordered_json device_json(const DeviceReport& device) {
  const StatisticValues& statistics = device.statistics;
  const bool has_memory = !device.memory_origin.empty();
  return {{"device", device.device.value},
          {"memory_bytes", has_memory ? ordered_json(device.memory.count) : ordered_json(nullptr)},
          {"memory_origin", device.memory_origin},
          {"held_by_others_bytes", or_null(device.held_by_others)},
          {"requests", device.requests},
          {"frees", device.frees},
          {"peak_allocated", peak_json(device.peak_allocated)},
          {"peak_reserved", peak_json(device.peak_reserved)},
          {"peak_requested_bytes", statistics.requested_bytes.all.peak},
          {"peak_active_bytes", statistics.active_bytes.all.peak},
          {"recorded_peak_requested_bytes", or_null(device.recorded_peak_requested)},
          {"recorded_peak_reserved_bytes", or_null(device.recorded_peak_reserved)},
          {"end", end_json(statistics)},
          {"device_allocs", device.device_calls.allocations},
          {"device_frees", device.device_calls.releases},
          {"units_mapped", device.device_calls.units_created},
          {"alloc_retries", statistics.num_alloc_retries},
          {"stream_ordered", or_null(device.pool, pool_json)},
          {"metrics", metrics_json(run_metrics(device))},
          {"curve", curve_json(device.curve)},
          {"out_of_memory", json_list(device.failures, failure_json)}};
}

}  // namespace

std::string replay_json(const ReplayOutcome& outcome) {
  const replay::ReplayReport& report = outcome.report;
  return json_text({{"schema_version", 1},
                    {"file", outcome.file},
                    {"reference", report.reference},
                    {"options", report.options},
                    {"events", report.events},
                    {"stopped_at", or_null(report.stopped_at)},
                    {"notes", report.notes},
                    {"metrics", metrics_json(run_metrics(report))},
                    {"out_of_memory", outcome.explained},
                    {"devices", json_list(report.devices, device_json)},
                    {"host", or_null(report.host, host_json)}});
}

}  // namespace vramlab::tools
