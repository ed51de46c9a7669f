#include <nlohmann/json.hpp>

#include "tools/commands/streams/hazard_words.h"
#include "tools/commands/streams/stream_report.h"
#include "tools/printers/json_text.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;
using streams::HazardSide;

constexpr int streams_schema_version = 1;

ordered_json stream_key(streams::StreamAt stream) {
  return {{"device", stream.device}, {"stream", stream.stream.value}};
}

ordered_json place_json(std::uint64_t event, const HazardContext& context) {
  return {{"event", event}, {"place", event_place(event, context)}};
}

ordered_json side_json(const HazardSide& side, const HazardContext& context) {
  ordered_json json = place_json(side.tag, context);
  json["is_known"] = side.is_known;
  json.update(stream_key(side.stream));
  json["thread"] = side.thread.value;
  json["work"] = side.act == streams::HazardAct::work ? ordered_json(work_name(side.kind))
                                                      : ordered_json(nullptr);
  json["reads"] = side.reads;
  json["writes"] = side.writes;
  json["text"] = side_text(side, context);
  return json;
}

ordered_json hazard_json(const streams::Hazard& hazard, const HazardContext& context) {
  ordered_json json = {{"kind", hazard_name(hazard.kind)},
                       {"count", hazard.count},
                       {"first", side_json(hazard.first, context)},
                       {"second", side_json(hazard.second, context)}};
  json["about"] = object_text(hazard, context);
  json["memory"] = nullptr;
  if (!hazard.range.is_empty())
    json["memory"] = {{"address", hazard.range.begin.value}, {"bytes", hazard.range.size().count}};
  json["mend"] = fix_text(hazard, context);
  return json;
}

ordered_json activity_json(const replay::ActivityReport& activity) {
  ordered_json json = {{"time_ns", activity.end.ns}};
  json["streams"] = ordered_json::array();
  for (const auto& [stream, figures] : activity.streams) {
    ordered_json row = stream_key(stream);
    row["work"] = figures.work_count;
    row["graph_launches"] = figures.launches;
    row["busy_ns"] = figures.busy.ns;
    row["held_up_ns"] = figures.held_up.ns;
    row["first_begin_ns"] = figures.first_begin.ns;
    row["last_end_ns"] = figures.last_end.ns;
    json["streams"].push_back(std::move(row));
  }
  json["devices"] = ordered_json::array();
  for (const auto& [device, figures] : activity.devices)
    json["devices"].push_back({{"device", device},
                               {"busy_ns", figures.busy.ns},
                               {"overlapped_ns", figures.overlapped.ns}});
  json["threads"] = ordered_json::array();
  for (const auto& [thread, figures] : activity.threads)
    json["threads"].push_back(
        {{"thread", thread.value}, {"waits", figures.waits}, {"waited_ns", figures.waited.ns}});
  return json;
}

ordered_json peaks_json(const replay::ReplayReport& report) {
  ordered_json json = ordered_json::array();
  for (const replay::DeviceReport& device : report.devices)
    json.push_back({{"device", device.device.value},
                    {"peak_allocated_bytes", device.peak_allocated.bytes.count},
                    {"peak_reserved_bytes", device.peak_reserved.bytes.count},
                    {"failed_requests", device.failures.size()}});
  return json;
}

ordered_json deadlock_json(const HazardContext& context) {
  ordered_json json = {{"threads", ordered_json::array()}, {"streams", ordered_json::array()}};
  for (const replay::StuckCall& call : context.report.deadlock.threads) {
    ordered_json row = place_json(call.event, context);
    row["thread"] = call.thread.value;
    row["since_ns"] = call.since.ns;
    json["threads"].push_back(std::move(row));
  }
  for (const streams::StuckWork& work : context.report.deadlock.work) {
    ordered_json row = place_json(work.tag, context);
    row.update(stream_key(work.stream));
    row["flag"] = work.awaited ? ordered_json(work.awaited->value) : ordered_json(nullptr);
    json["streams"].push_back(std::move(row));
  }
  return json;
}

}  // namespace

std::string stream_json(const StreamOutcome& outcome, const traces::SnapshotTables& tables) {
  const replay::StreamReport& report = outcome.report;
  const HazardContext context{report, tables};
  ordered_json json = {{"schema_version", streams_schema_version},
                       {"file", outcome.file},
                       {"kind", "program"},
                       {"reference", report.replay.reference},
                       {"events", report.replay.events},
                       {"notes", report.replay.notes}};
  json["context_lost"] = report.lost_context == streams::CudaStatus::success
                             ? ordered_json(nullptr)
                             : ordered_json(cuda_status_name(report.lost_context));
  json["activity"] = activity_json(report.activity);
  json["waiting_frees"] = ordered_json::parse(waiting_json(waiting_of(outcome)))["devices"];
  json["as_modelled"] = peaks_json(report.replay);
  json["if_completed_at_once"] =
      outcome.at_once ? peaks_json(*outcome.at_once) : ordered_json(nullptr);
  json["hazards"] = ordered_json::array();
  for (const streams::Hazard& hazard : report.hazards)
    json["hazards"].push_back(hazard_json(hazard, context));
  json["unlisted_hazards"] = report.unlisted_hazards;
  json["refused_calls"] = ordered_json::array();
  for (const replay::RefusedCall& call : report.refused) {
    ordered_json row = place_json(call.event, context);
    row["call"] = program_event_name(call.kind);
    row["error"] = cuda_status_name(call.status);
    json["refused_calls"].push_back(std::move(row));
  }
  json["endless_waits"] = deadlock_json(context);
  return json_text(json);
}

}  // namespace vramlab::tools
