// The JSON of a report on waiting frees; docs/waiting.md says what each key means.
#include <nlohmann/json.hpp>

#include "tools/commands/streams/stream_report.h"
#include "tools/printers/json_text.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;
using replay::DeviceWaiting;
using replay::WaitingCost;

constexpr int waiting_schema_version = 1;

template <class Value, class Make>
ordered_json optional_json(const std::optional<Value>& value, const Make& make) {
  return value ? ordered_json(make(*value)) : ordered_json(nullptr);
}

ordered_json optional_number(const std::optional<std::uint64_t>& number) {
  return optional_json(number, [](std::uint64_t value) { return value; });
}

ordered_json totals_json(const replay::WaitingTotals& totals, const WaitingCost& cost) {
  ordered_json json = {{"frees", totals.count}, {"bytes", totals.bytes.count}};
  json["byte_seconds"] =
      cost.span_us ? ordered_json(totals.byte_time.byte_seconds) : ordered_json(nullptr);
  json["byte_microseconds_rest"] =
      cost.span_us ? ordered_json(totals.byte_time.rest) : ordered_json(nullptr);
  json["byte_events"] = totals.byte_events;
  return json;
}

ordered_json spread_json(const replay::WaitSpread& spread) {
  return {{"min", spread.least}, {"median", spread.median}, {"max", spread.most}};
}

ordered_json held_json(const WaitingCost& cost) {
  ordered_json json = {{"unit", cost.span_us.value_or(0) > 0 ? "us" : "events"}};
  json["steps"] = ordered_json::array();
  for (const replay::HeldStep& step : cost.held)
    json["steps"].push_back({{"from", step.from}, {"to", step.to}, {"max_bytes", step.most.count}});
  return json;
}

ordered_json peaks_json(const replay::PeakFigures& peaks) {
  return {{"peak_allocated_bytes", peaks.allocated.count},
          {"peak_active_bytes", peaks.active.count},
          {"peak_requested_bytes", peaks.requested.count},
          {"peak_reserved_bytes", peaks.reserved.count},
          {"failed_requests", peaks.failed_requests}};
}

ordered_json eager_json(const replay::EagerFrees& eager) {
  return {{"label", eager.is_exact() ? "exact" : "approximate"},
          {"verify", fidelity_label_name(eager.followed)},
          {"recorded_peak_requested_bytes", eager.recorded_requested.count},
          {"recorded_peak_reserved_bytes", eager.recorded_reserved.count},
          {"as_recorded", peaks_json(eager.as_recorded)},
          {"at_once", peaks_json(eager.eager)}};
}

ordered_json release_json(const replay::WaitingRelease& release) {
  return {{"call_event", release.call_event},
          {"event", release.event},
          {"released_bytes", release.released.count},
          {"completed_frees", release.completed},
          {"completed_bytes", release.completed_bytes.count},
          {"still_waiting", release.still_waiting},
          {"synchronised", release.synchronised},
          {"stall_shown_us", optional_number(release.shown_us)},
          {"stall_at_most_us", optional_number(release.at_most_us)}};
}

ordered_json place_json(const replay::WaitingPlace& place, const WaitingCost& cost) {
  ordered_json json;
  json["allocated_at"] =
      place.allocated_at.empty() ? ordered_json(nullptr) : ordered_json(place.allocated_at);
  json["freed_at"] = place.freed_at.empty() ? ordered_json(nullptr) : ordered_json(place.freed_at);
  json.update(totals_json(place.totals, cost));
  return json;
}

ordered_json stream_json(const replay::WaitingStream& stream, const WaitingCost& cost) {
  ordered_json json = {{"stream", stream.stream.value}};
  json.update(totals_json(stream.totals, cost));
  return json;
}

ordered_json cost_json(const WaitingCost& cost) {
  ordered_json json = {{"device", cost.device},
                       {"events", cost.event_count},
                       {"span_us", optional_number(cost.span_us)},
                       {"is_known", cost.is_known},
                       {"immediate_frees", cost.counts.immediate_frees},
                       {"contradictions", cost.counts.contradictions},
                       {"final_waiting_blocks", cost.final_blocks},
                       {"final_waiting_bytes", cost.final_bytes.count}};
  json["waited"] = totals_json(cost.totals, cost);
  json["waiting_at_beginning"] = totals_json(cost.at_beginning, cost);
  json["waiting_at_end"] = totals_json(cost.at_end, cost);
  json["max_bytes"] = cost.peak.count;
  json["max_bytes_event"] = cost.totals.count > 0 ? ordered_json(cost.peak_at.event) : nullptr;
  json["mean_bytes"] = mean_held(cost).count;
  json["wait_us"] = optional_json(cost.wait_us, spread_json);
  json["wait_events"] = optional_json(cost.wait_events, spread_json);
  json["held"] = held_json(cost);
  return json;
}

ordered_json device_json(const DeviceWaiting& device) {
  ordered_json json = cost_json(device.cost);
  json["if_completed_at_once"] = optional_json(device.eager, eager_json);
  json["releases"] = ordered_json::array();
  for (const replay::WaitingRelease& release : device.releases)
    json["releases"].push_back(release_json(release));
  json["streams"] = ordered_json::array();
  for (const replay::WaitingStream& stream : device.cost.streams)
    json["streams"].push_back(stream_json(stream, device.cost));
  json["call_sites"] = ordered_json::array();
  for (const replay::WaitingPlace& place : device.places)
    json["call_sites"].push_back(place_json(place, device.cost));
  json["findings"] = findings_of(device);
  return json;
}

}  // namespace

std::string waiting_json(const WaitingOutcome& outcome) {
  ordered_json json = {{"schema_version", waiting_schema_version},
                       {"file", outcome.file},
                       {"kind", "recording"},
                       {"reference", outcome.waiting.reference},
                       {"notes", outcome.waiting.notes}};
  json["not_replayed"] = outcome.waiting.obstacle.empty() ? ordered_json(nullptr)
                                                          : ordered_json(outcome.waiting.obstacle);
  json["devices"] = ordered_json::array();
  for (const DeviceWaiting& device : outcome.waiting.devices)
    json["devices"].push_back(device_json(device));
  return json_text(json);
}

}  // namespace vramlab::tools
