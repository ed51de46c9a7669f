#include <nlohmann/json.hpp>

#include "tools/cli/commands/streams/hazard_text.h"
#include "tools/cli/commands/streams/stream_report.h"
#include "tools/cli/printers/json_text.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;
using streams::HazardSide;

ordered_json stream_key(streams::StreamAt stream) {
  return {{"device", stream.device}, {"stream", stream.stream.value}};
}

ordered_json place_json(std::uint64_t event, const HazardContext& context) {
  return {{"event", event}, {"place", event_place(event, context)}};
}

ordered_json side_json(const HazardSide& side, const HazardContext& context) {
  const bool is_work = side.act == streams::HazardAct::work;
  ordered_json json = place_json(side.tag, context);
  json["is_known"] = side.is_known;
  json.update(stream_key(side.stream));
  json["thread"] = side.thread.value;
  json["work"] = is_work ? ordered_json(work_name(side.kind)) : ordered_json(nullptr);
  json["reads"] = side.reads;
  json["writes"] = side.writes;
  json["text"] = side_text(side, context);
  return json;
}

ordered_json hazard_json(const streams::Hazard& hazard, const HazardContext& context) {
  ordered_json memory;
  if (!hazard.range.is_empty())
    memory = {{"address", hazard.range.begin.value}, {"bytes", hazard.range.size().count}};
  return {
      {"kind", hazard_name(hazard.kind)},          {"count", hazard.count},
      {"first", side_json(hazard.first, context)}, {"second", side_json(hazard.second, context)},
      {"about", object_text(hazard, context)},     {"memory", std::move(memory)},
      {"mend", fix_text(hazard, context)}};
}

ordered_json activity_json(const replay::ActivityReport& activity) {
  const auto of_stream = [](const auto& row) {
    const auto& [stream, figures] = row;
    ordered_json json = stream_key(stream);
    json["work"] = figures.work_count;
    json["graph_launches"] = figures.launches;
    json["busy_ns"] = figures.busy.ns;
    json["held_up_ns"] = figures.held_up.ns;
    json["first_begin_ns"] = figures.first_begin.ns;
    json["last_end_ns"] = figures.last_end.ns;
    return json;
  };
  const auto of_device = [](const auto& row) -> ordered_json {
    return {{"device", row.first},
            {"busy_ns", row.second.busy.ns},
            {"overlapped_ns", row.second.overlapped.ns}};
  };
  const auto of_thread = [](const auto& row) -> ordered_json {
    return {{"thread", row.first.value},
            {"waits", row.second.waits},
            {"waited_ns", row.second.waited.ns}};
  };
  return {{"time_ns", activity.end.ns},
          {"streams", json_list(activity.streams, of_stream)},
          {"devices", json_list(activity.devices, of_device)},
          {"threads", json_list(activity.threads, of_thread)}};
}

ordered_json peaks_json(const replay::ReplayReport& report) {
  return json_list(report.devices, [](const replay::DeviceReport& device) -> ordered_json {
    return {{"device", device.device.value},
            {"peak_allocated_bytes", device.peak_allocated.bytes.count},
            {"peak_reserved_bytes", device.peak_reserved.bytes.count},
            {"failed_requests", device.failures.size()}};
  });
}

ordered_json deadlock_json(const HazardContext& context) {
  const auto of_call = [&](const replay::StuckCall& call) {
    ordered_json json = place_json(call.event, context);
    json["thread"] = call.thread.value;
    json["since_ns"] = call.since.ns;
    return json;
  };
  const auto of_work = [&](const streams::StuckWork& work) {
    ordered_json json = place_json(work.tag, context);
    json.update(stream_key(work.stream));
    json["flag"] = work.awaited ? ordered_json(work.awaited->value) : ordered_json(nullptr);
    return json;
  };
  return {{"threads", json_list(context.report.deadlock.threads, of_call)},
          {"streams", json_list(context.report.deadlock.work, of_work)}};
}

}  // namespace

std::string stream_json(const StreamOutcome& outcome, const traces::SnapshotTables& tables) {
  const replay::StreamReport& report = outcome.report;
  const HazardContext context{report, tables};
  const auto of_hazard = [&](const auto& hazard) { return hazard_json(hazard, context); };
  const auto of_refused = [&](const replay::RefusedCall& call) {
    ordered_json json = place_json(call.event, context);
    json["call"] = program_event_name(call.kind);
    json["error"] = cuda_status_name(call.status);
    return json;
  };
  const bool is_lost = report.lost_context != streams::CudaStatus::success;
  return json_text({{"schema_version", 1},
                    {"file", outcome.file},
                    {"kind", "program"},
                    {"reference", report.replay.reference},
                    {"events", report.replay.events},
                    {"notes", report.replay.notes},
                    {"context_lost", is_lost ? ordered_json(cuda_status_name(report.lost_context))
                                             : ordered_json(nullptr)},
                    {"activity", activity_json(report.activity)},
                    {"waiting_frees", waiting_devices_json(waiting_of(outcome))},
                    {"as_modelled", peaks_json(report.replay)},
                    {"if_completed_at_once", or_null(outcome.at_once, peaks_json)},
                    {"hazards", json_list(report.hazards, of_hazard)},
                    {"unlisted_hazards", report.unlisted_hazards},
                    {"refused_calls", json_list(report.refused, of_refused)},
                    {"endless_waits", deadlock_json(context)}});
}

}  // namespace vramlab::tools
