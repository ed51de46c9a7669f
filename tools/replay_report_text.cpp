#include "tools/replay_report_text.h"

#include <nlohmann/json.hpp>

#include "allocator/out_of_memory.h"
#include "replay/run_metrics.h"
#include "tools/metrics_json.h"
#include "tools/text_lines.h"

namespace vramlab::tools {
namespace {

using allocator::Bytes;
using nlohmann::ordered_json;
using replay::DeviceReport;
using replay::FailedRequest;
using replay::PeakMoment;

Bytes bytes_of(std::int64_t count) {
  return {static_cast<std::uint64_t>(std::max<std::int64_t>(0, count))};
}

std::string moment_text(const PeakMoment& peak) {
  return format_bytes(peak.bytes) + " at event " + std::to_string(peak.event);
}

std::string recorded_text(const std::optional<Bytes>& recorded) {
  return recorded ? ", recorded " + format_bytes(*recorded) : std::string();
}

std::string calls_text(const DeviceReport& device) {
  const auto& calls = device.device_calls;
  std::string text = std::to_string(calls.allocations) + " allocations, " +
                     std::to_string(calls.releases) + " releases";
  if (calls.units_created > 0) text += ", " + std::to_string(calls.units_created) + " units mapped";
  return text;
}

std::string failure_text(const FailedRequest& failure) {
  return "event " + std::to_string(failure.event) + ": " + out_of_memory_message(failure.figures);
}

std::string failures_text(const ReplayOutcome& outcome, const DeviceReport& device) {
  std::string text;
  const std::size_t shown = outcome.shows_all_failures ? device.failures.size() : 1;
  for (std::size_t i = 0; i < std::min(shown, device.failures.size()); ++i)
    add_line(text, "out of memory", failure_text(device.failures[i]));
  if (device.failures.size() > shown)
    add_line(text, "", "and " + std::to_string(device.failures.size() - shown) + " more");
  return text;
}

std::string device_text(const ReplayOutcome& outcome, const DeviceReport& device) {
  const allocator::StatisticValues& statistics = device.statistics;
  std::string text = "device " + std::to_string(device.device.value) + "\n";
  add_line(text, "memory",
           device.memory_origin.empty()
               ? std::string("no limit")
               : format_bytes(device.memory) + ", " + device.memory_origin);
  add_line(text, "requests",
           std::to_string(device.requests) + ", " + std::to_string(device.failures.size()) +
               " failed; " + std::to_string(device.frees) + " frees");
  add_line(text, "peak allocated", moment_text(device.peak_allocated));
  add_line(text, "peak requested",
           format_bytes(bytes_of(statistics.requested_bytes.all.peak)) +
               recorded_text(device.recorded_peak_requested));
  add_line(text, "peak reserved",
           moment_text(device.peak_reserved) + recorded_text(device.recorded_peak_reserved));
  add_line(text, "at the end",
           format_bytes(bytes_of(statistics.allocated_bytes.all.current)) + " allocated, " +
               format_bytes(bytes_of(statistics.active_bytes.all.current -
                                     statistics.allocated_bytes.all.current)) +
               " waiting to be free, " +
               format_bytes(bytes_of(statistics.reserved_bytes.all.current)) + " reserved, " +
               format_bytes(bytes_of(statistics.inactive_split_bytes.all.current)) +
               " in pieces of split segments");
  add_line(text, "device calls", calls_text(device));
  add_line(text, "retries",
           std::to_string(statistics.num_alloc_retries) + " after releasing everything");
  return text + failures_text(outcome, device);
}

ordered_json peak_json(const PeakMoment& peak) {
  ordered_json json = {{"bytes", peak.bytes.count}, {"event", peak.event}};
  json["time_ns"] = peak.time_ns ? ordered_json(*peak.time_ns) : ordered_json(nullptr);
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

ordered_json optional_bytes(const std::optional<Bytes>& bytes) {
  return bytes ? ordered_json(bytes->count) : ordered_json(nullptr);
}

ordered_json device_json(const DeviceReport& device) {
  const allocator::StatisticValues& statistics = device.statistics;
  ordered_json json;
  json["device"] = device.device.value;
  json["memory_bytes"] =
      device.memory_origin.empty() ? ordered_json(nullptr) : ordered_json(device.memory.count);
  json["memory_origin"] = device.memory_origin;
  json["requests"] = device.requests;
  json["frees"] = device.frees;
  json["peak_allocated"] = peak_json(device.peak_allocated);
  json["peak_reserved"] = peak_json(device.peak_reserved);
  json["peak_requested_bytes"] = statistics.requested_bytes.all.peak;
  json["peak_active_bytes"] = statistics.active_bytes.all.peak;
  json["recorded_peak_requested_bytes"] = optional_bytes(device.recorded_peak_requested);
  json["recorded_peak_reserved_bytes"] = optional_bytes(device.recorded_peak_reserved);
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
  json["metrics"] = metrics_json(run_metrics(device));
  json["out_of_memory"] = ordered_json::array();
  for (const FailedRequest& failure : device.failures)
    json["out_of_memory"].push_back(failure_json(failure));
  return json;
}

}  // namespace

std::string replay_text(const ReplayOutcome& outcome) {
  const replay::ReplayReport& report = outcome.report;
  std::string text = outcome.file + "\n";
  add_line(text, "reference", report.reference);
  add_line(text, "options", report.options.empty() ? "none" : report.options);
  add_line(
      text, "events",
      std::to_string(report.events) + (report.stopped_at ? ", stopped at an out-of-memory" : ""));
  for (const std::string& note : report.notes) add_line(text, "note", note);
  for (const DeviceReport& device : report.devices) text += device_text(outcome, device);
  return text + outcome.explained_text;
}

std::string replay_json(const ReplayOutcome& outcome) {
  const replay::ReplayReport& report = outcome.report;
  ordered_json json = {{"schema_version", 1},
                       {"file", outcome.file},
                       {"reference", report.reference},
                       {"options", report.options},
                       {"events", report.events}};
  json["stopped_at"] = report.stopped_at ? ordered_json(*report.stopped_at) : ordered_json(nullptr);
  json["notes"] = report.notes;
  json["metrics"] = metrics_json(run_metrics(report));
  json["out_of_memory"] = outcome.explained;
  json["devices"] = ordered_json::array();
  for (const DeviceReport& device : report.devices) json["devices"].push_back(device_json(device));
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace vramlab::tools
