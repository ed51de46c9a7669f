// The JSON of a report on waiting frees; docs/guide/streams.md says what each key means.
#include <nlohmann/json.hpp>

#include "tools/cli/commands/streams/stream_report.h"
#include "tools/cli/printers/json_text.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;
using replay::DeviceWaiting;
using replay::WaitingCost;

ordered_json totals_json(const replay::WaitingTotals& totals, const WaitingCost& cost) {
  const auto timed = [&](std::uint64_t amount) {
    return cost.span_us ? ordered_json(amount) : ordered_json(nullptr);
  };
  return {{"frees", totals.count},
          {"bytes", totals.bytes.count},
          {"byte_seconds", timed(totals.byte_time.byte_seconds)},
          {"byte_microseconds_rest", timed(totals.byte_time.rest)},
          {"byte_events", totals.byte_events}};
}

ordered_json spread_json(const replay::WaitSpread& spread) {
  return {{"min", spread.least}, {"median", spread.median}, {"max", spread.most}};
}

ordered_json step_json(const replay::HeldStep& step) {
  return {{"from", step.from}, {"to", step.to}, {"max_bytes", step.most.count}};
}

ordered_json held_json(const WaitingCost& cost) {
  return {{"unit", cost.span_us.value_or(0) > 0 ? "us" : "events"},
          {"steps", json_list(cost.held, step_json)}};
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
          {"stall_shown_us", or_null(release.shown_us)},
          {"stall_at_most_us", or_null(release.at_most_us)}};
}

ordered_json place_json(const replay::WaitingPlace& place, const WaitingCost& cost) {
  ordered_json json = {{"allocated_at", text_or_null(place.allocated_at)},
                       {"freed_at", text_or_null(place.freed_at)}};
  json.update(totals_json(place.totals, cost));
  return json;
}

ordered_json stream_json(const replay::WaitingStream& stream, const WaitingCost& cost) {
  ordered_json json = {{"stream", stream.stream.value}};
  json.update(totals_json(stream.totals, cost));
  return json;
}

ordered_json cost_json(const WaitingCost& cost) {
  const bool has_waited = cost.totals.count > 0;
  return {{"device", cost.device},
          {"events", cost.event_count},
          {"span_us", or_null(cost.span_us)},
          {"is_known", cost.is_known},
          {"immediate_frees", cost.counts.immediate_frees},
          {"contradictions", cost.counts.contradictions},
          {"final_waiting_blocks", cost.final_blocks},
          {"final_waiting_bytes", cost.final_bytes.count},
          {"waited", totals_json(cost.totals, cost)},
          {"waiting_at_beginning", totals_json(cost.at_beginning, cost)},
          {"waiting_at_end", totals_json(cost.at_end, cost)},
          {"max_bytes", cost.peak.count},
          {"max_bytes_event", has_waited ? ordered_json(cost.peak_at.event) : nullptr},
          {"mean_bytes", mean_held(cost).count},
          {"wait_us", or_null(cost.wait_us, spread_json)},
          {"wait_events", or_null(cost.wait_events, spread_json)},
          {"held", held_json(cost)}};
}

ordered_json device_json(const DeviceWaiting& device) {
  const auto of_stream = [&](const auto& stream) { return stream_json(stream, device.cost); };
  const auto of_place = [&](const auto& place) { return place_json(place, device.cost); };
  ordered_json json = cost_json(device.cost);
  json["if_completed_at_once"] = or_null(device.eager, eager_json);
  json["releases"] = json_list(device.releases, release_json);
  json["streams"] = json_list(device.cost.streams, of_stream);
  json["call_sites"] = json_list(device.places, of_place);
  json["findings"] = findings_of(device);
  return json;
}

}  // namespace

ordered_json waiting_devices_json(const WaitingOutcome& outcome) {
  return json_list(outcome.waiting.devices, device_json);
}

std::string waiting_json(const WaitingOutcome& outcome) {
  return json_text({{"schema_version", 1},
                    {"file", outcome.file},
                    {"kind", "recording"},
                    {"reference", outcome.waiting.reference},
                    {"notes", outcome.waiting.notes},
                    {"not_replayed", text_or_null(outcome.waiting.obstacle)},
                    {"devices", waiting_devices_json(outcome)}});
}

}  // namespace vramlab::tools
