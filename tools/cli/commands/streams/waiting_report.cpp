#include "tools/cli/commands/streams/waiting_report.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tools/cli/printers/json_text.h"
#include "tools/cli/printers/shown_text.h"
#include "tools/cli/printers/text_lines.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;
using replay::DeviceWaiting;
using replay::EagerFrees;
using replay::WaitingCost;
using replay::WaitingPlace;
using replay::WaitingRelease;
using replay::WaitingTotals;

std::string frees_text(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " free" : " frees");
}

/// A sentence broken into lines; all begin below the start of the sentence.
std::string wrapped(const std::string& start, const std::string& sentence) {
  constexpr std::size_t most_letters = 100;
  std::string text;
  std::string line = start;
  std::istringstream words(sentence);
  for (std::string word; words >> word;) {
    if (line.size() + 1 + word.size() > most_letters && line.size() > start.size()) {
      text += line + "\n";
      line = std::string(start.size(), ' ');
    }
    line += (line.size() > start.size() ? " " : "") + word;
  }
  return text + line + "\n";
}

bool has_time(const WaitingCost& cost) { return cost.span_us.value_or(0) > 0; }

/// `1.50 GiB` or `12 bytes`, as the first half of a product.
std::string factor_text(Bytes bytes) {
  std::string text = format_bytes(bytes);
  if (text.ends_with(" bytes")) text.pop_back();
  return text;
}

double byte_seconds(const replay::ByteTime& held) {
  return static_cast<double>(held.byte_seconds) +
         static_cast<double>(held.rest) / static_cast<double>(replay::microseconds_per_second);
}

bool is_named(const WaitingPlace& place) {
  return !place.allocated_at.empty() || !place.freed_at.empty();
}

/// Such as `329.10 KiB-seconds`, or `2.00 KiB-microseconds` if it is little, or `2.50 MiB-events`
/// without times.
std::string cost_text(const WaitingTotals& totals, const WaitingCost& cost) {
  if (cost.span_us.value_or(0) == 0) return factor_text(Bytes{totals.byte_events}) + "-events";
  const replay::ByteTime& held = totals.byte_time;
  if (held.byte_seconds == 0) return factor_text(Bytes{held.rest}) + "-microseconds";
  return factor_text(Bytes{held.byte_seconds}) + "-seconds";
}

/// `train.py:12 step`, or why the place is unknown.
std::string allocated_text(const WaitingPlace& place) {
  if (!place.allocated_at.empty()) return "at " + place.allocated_at;
  return place.is_older ? "before the recording began, or without a stack" : "without a stack";
}

std::string freed_text(const WaitingPlace& place) {
  return place.freed_at.empty() ? "without a stack" : "at " + place.freed_at;
}

/// In percent; 0 of nothing. Measured by time, or by events if no time goes by.
std::uint64_t share_percent(const WaitingTotals& part, const WaitingTotals& whole) {
  const bool by_time = whole.byte_time > replay::ByteTime{};
  const auto amount = [&](const WaitingTotals& totals) {
    return by_time ? byte_seconds(totals.byte_time) : static_cast<double>(totals.byte_events);
  };
  if (amount(whole) <= 0) return 0;
  return static_cast<std::uint64_t>(std::llround(100 * amount(part) / amount(whole)));
}

/// The average over the whole history; by events if no time goes by.
Bytes mean_held(const WaitingCost& cost) {
  const std::uint64_t span = cost.span_us.value_or(0);
  if (span == 0)
    return {cost.event_count < 2 ? 0 : cost.totals.byte_events / (cost.event_count - 1)};
  return {static_cast<std::uint64_t>(byte_seconds(cost.totals.byte_time) * 1e6 /
                                     static_cast<double>(span))};
}

std::string moment_text(const replay::WaitMoment& moment) {
  return "event " + std::to_string(moment.event);
}

/// One letter for each step: how much of the peak was held at most.
std::string curve_text(const WaitingCost& cost) {
  static constexpr std::string_view levels = " .:-=+*#%@";
  std::string text;
  for (const replay::HeldStep& step : cost.held) {
    if (step.most == Bytes{}) {
      text += levels.front();
      continue;
    }
    const double share =
        static_cast<double>(step.most.count) / static_cast<double>(cost.peak.count);
    const auto level = static_cast<std::size_t>(share * static_cast<double>(levels.size() - 1));
    text += levels[std::clamp<std::size_t>(level, 1, levels.size() - 1)];
  }
  return text;
}

void add_clipped(std::string& text, const char* name, const replay::WaitingTotals& totals) {
  if (totals.count == 0) return;
  add_line(text, name, frees_text(totals.count) + " waiting, " + format_bytes(totals.bytes));
}

void add_held(std::string& text, const WaitingCost& cost) {
  add_line(text, "peak",
           format_bytes(cost.peak) + " at " + moment_text(cost.peak_at) + "; " +
               format_bytes(mean_held(cost)) + " on average");
  add_line(text, "cost", cost_text(cost.totals, cost));
  add_line(text, "over time",
           "[" + curve_text(cost) + "]  " +
               (has_time(cost) ? duration_text(*cost.span_us)
                               : std::to_string(cost.event_count) + " events"));
  add_clipped(text, "at the beginning", cost.at_beginning);
  add_clipped(text, "at the end", cost.at_end);
  if (const auto& spread = cost.wait_us; spread && has_time(cost))
    add_line(text, "waits took",
             duration_text(spread->least) + " to " + duration_text(spread->most) + ", median " +
                 duration_text(spread->median));
  if (const auto& spread = cost.wait_events)
    add_line(text, has_time(cost) ? "" : "waits took",
             std::to_string(spread->least) + " to " + std::to_string(spread->most) +
                 " events, median " + std::to_string(spread->median));
}

std::string difference_text(Bytes before, Bytes after) {
  if (after == before) return "the same";
  return after < before ? format_bytes(before - after) + " less"
                        : format_bytes(after - before) + " more";
}

void add_peak(std::string& text, const char* name, const std::string& recorded, Bytes replayed,
              Bytes eager) {
  text += "    " + padded(name, line_name_width - 2) + " " + right(recorded, 12) + " " +
          right(format_bytes(replayed), 12) + " " + right(format_bytes(eager), 12) + "   " +
          difference_text(replayed, eager) + "\n";
}

std::string trust_text(const EagerFrees& eager) {
  if (eager.is_exact())
    return "exact: the recording is followed to the byte, and replayed as it was it reaches its "
           "peaks";
  if (eager.followed != replay::FidelityLabel::exact)
    return "guessed: following the recording is " +
           std::string(fidelity_label_name(eager.followed)) + " (vramlab verify says where)";
  return "guessed: replayed as it was, the recording reaches other peaks than it says";
}

void add_eager(std::string& text, const EagerFrees& eager) {
  text += "  if these frees completed at once (" + trust_text(eager) + ")\n";
  text += "    " + padded("peak", line_name_width - 2) + " " + right("recorded", 12) + " " +
          right("replayed", 12) + " " + right("at once", 12) + "\n";
  const replay::PeakFigures& now = eager.as_recorded;
  const replay::PeakFigures& then = eager.eager;
  add_peak(text, "allocated", "-", now.allocated, then.allocated);
  add_peak(text, "active", "-", now.active, then.active);
  add_peak(text, "requested", format_bytes(eager.recorded_requested), now.requested,
           then.requested);
  add_peak(text, "reserved", format_bytes(eager.recorded_reserved), now.reserved, then.reserved);
  if (now.failed_requests != then.failed_requests)
    text += "    requests that fail: " + std::to_string(now.failed_requests) + ", at once " +
            std::to_string(then.failed_requests) + "\n";
}

std::string stall_text(const WaitingRelease& release) {
  if (!release.shown_us) return {};
  std::string text = ", between " + duration_text(*release.shown_us);
  if (!release.at_most_us) return text + " and an unknown time";
  return text + " and " + duration_text(*release.at_most_us);
}

void add_releases(std::string& text, const DeviceWaiting& device, std::uint64_t shown) {
  if (device.releases.empty()) return;
  const auto waited = std::ranges::count_if(device.releases, &WaitingRelease::synchronised);
  add_line(text, "releases",
           std::to_string(device.releases.size()) + " of cached memory while frees waited, " +
               std::to_string(waited) + " of them waited for the work");
  std::uint64_t count = 0;
  for (const WaitingRelease& release : device.releases) {
    if (!release.synchronised || (shown != 0 && count == shown)) continue;
    ++count;
    text += "    event " + std::to_string(release.event) + ": " + frees_text(release.completed) +
            " of " + format_bytes(release.completed_bytes) + " completed, " +
            format_bytes(release.released) + " released" + stall_text(release) + "\n";
  }
}

std::string row(const replay::WaitingTotals& totals, const WaitingCost& cost) {
  return "    " + right(cost_text(totals, cost), 21) +
         right(std::to_string(share_percent(totals, cost.totals)) + " %", 7) +
         right(frees_text(totals.count), 12) + right(format_bytes(totals.bytes), 13) + "   ";
}

void add_tables(std::string& text, const DeviceWaiting& device, std::uint64_t shown) {
  const auto is_full = [shown](std::size_t count) { return shown != 0 && count == shown; };
  text += "  by stream of the memory\n";
  for (std::size_t i = 0; i < device.cost.streams.size() && !is_full(i); ++i)
    text += row(device.cost.streams[i].totals, device.cost) + "stream " +
            std::to_string(device.cost.streams[i].stream.value) + "\n";
  text += "  by call site\n";
  for (std::size_t i = 0; i < device.places.size() && !is_full(i); ++i) {
    const replay::WaitingPlace& place = device.places[i];
    const std::string start = row(place.totals, device.cost);
    text += start + "allocated " + shown_name(allocated_text(place)) + "\n";
    if (!place.freed_at.empty())
      text += std::string(start.size(), ' ') + "freed " + shown_name(freed_text(place)) + "\n";
  }
}

/// The waiting frees of the final state, for files without a history.
std::string final_text(const WaitingCost& cost) {
  if (cost.final_blocks == 0) return ", and nothing waits in the final state";
  return "; " + frees_text(cost.final_blocks) + (cost.final_blocks == 1 ? " waits" : " wait") +
         " in the final state, " + format_bytes(cost.final_bytes);
}

constexpr std::size_t most_named_places = 3;

std::string place_finding(const WaitingPlace& place, const WaitingCost& cost) {
  std::string text = std::to_string(share_percent(place.totals, cost.totals)) +
                     " % of the cost is memory allocated " + allocated_text(place);
  if (!place.freed_at.empty()) text += " and freed " + freed_text(place);
  return text + ": " + cost_text(place.totals, cost) + " in " +
         counted(place.totals.count, "free", "frees") + " of " + format_bytes(place.totals.bytes) +
         " together.";
}

/// Adds the costliest place, and others with at least a tenth of the cost.
void add_places(const DeviceWaiting& device, std::vector<std::string>& findings) {
  for (const WaitingPlace& place : device.places) {
    if (!is_named(place)) continue;
    const bool is_first = findings.empty();
    if (!is_first && share_percent(place.totals, device.cost.totals) < 10) break;
    findings.push_back(place_finding(place, device.cost));
    if (findings.size() == most_named_places) break;
  }
  if (findings.empty())
    findings.emplace_back(
        "The recording has no stacks of these frees, so their place in the program is unknown.");
}

std::string saved_text(const char* name, Bytes now, Bytes eager) {
  return format_bytes(now - eager) + " of peak " + name + " memory";
}

bool saves_memory(const EagerFrees& eager) {
  return eager.eager.active < eager.as_recorded.active ||
         eager.eager.reserved < eager.as_recorded.reserved;
}

/// The memory that completing at once would save, as far as a replay can tell.
std::string saving_finding(const EagerFrees& eager) {
  const replay::PeakFigures& now = eager.as_recorded;
  const replay::PeakFigures& then = eager.eager;
  if (!saves_memory(eager))
    return "The waits did not raise the peaks: without them the program would have needed no less "
           "memory.";
  std::string text = "Without the waits the program would have needed ";
  if (then.reserved < now.reserved) text += saved_text("reserved", now.reserved, then.reserved);
  if (then.reserved < now.reserved && then.active < now.active) text += " and ";
  if (then.active < now.active) text += saved_text("active", now.active, then.active);
  return text + (eager.is_exact() ? " less." : " less (guessed).");
}

bool has_waited(const DeviceWaiting& device) {
  return std::ranges::any_of(device.releases, &replay::WaitingRelease::synchronised);
}

/// The times when the program stood still because the allocator waited.
std::string stall_finding(const DeviceWaiting& device) {
  std::uint64_t count = 0;
  std::uint64_t shown_us = 0;
  for (const replay::WaitingRelease& release : device.releases) {
    if (!release.synchronised) continue;
    ++count;
    shown_us = replay::bounded_sum(shown_us, release.shown_us.value_or(0));
  }
  std::string text = counted(count, "time", "times") +
                     " the allocator had to release everything that was cached while frees waited, "
                     "and the program stood still until that work was done";
  if (shown_us > 0) text += ", for " + duration_text(shown_us) + " or more";
  return text + ".";
}

constexpr const char* unended =
    "None of these waits ends in the recording. The allocator checks for completed work only "
    "when memory is requested, and not at all during a graph capture.";

constexpr const char* remedy =
    "To fix it: let the stream that allocated the memory wait for an event of the stream that "
    "uses it (wait_event, wait_stream) before the memory is freed, and leave out record_stream for "
    "it. The free is then complete at once, and the next request on the stream can have the block. "
    "Or use the memory on the stream that allocated it. Recordings do not say which stream used "
    "it.";

/// Sentences for the author of the program: where waiting costs most, whether it raised the peak,
/// and a fix. Empty if no free waited.
std::vector<std::string> findings_of(const DeviceWaiting& device) {
  std::vector<std::string> findings;
  if (device.cost.totals.count == 0) return findings;
  add_places(device, findings);
  if (device.cost.at_end.count == device.cost.totals.count) findings.emplace_back(unended);
  if (device.eager) findings.push_back(saving_finding(*device.eager));
  if (has_waited(device)) findings.push_back(stall_finding(device));
  if (!device.eager || saves_memory(*device.eager) || has_waited(device))
    findings.emplace_back(remedy);
  return findings;
}

std::string device_text(const DeviceWaiting& device, std::uint64_t shown) {
  const WaitingCost& cost = device.cost;
  std::string text = "device " + std::to_string(cost.device) + ": ";
  if (cost.event_count == 0) return text + "no history" + final_text(cost) + "\n";
  if (!cost.is_known)
    return text + "the file does not say when memory was freed, so waits are unknown" +
           final_text(cost) + "\n";
  const std::uint64_t whole_frees = cost.totals.count + cost.counts.immediate_frees;
  if (whole_frees == 0) return text + "no free in the history" + final_text(cost) + "\n";
  if (cost.totals.count == 0)
    return text + "none of " + frees_text(whole_frees) + " waited for other streams\n";
  text += std::to_string(cost.totals.count) + " of " + frees_text(whole_frees) +
          " waited for other streams\n";
  if (!has_time(cost)) add_line(text, "note", "entries have no times: waits are counted in events");
  if (cost.counts.contradictions > 0)
    add_line(text, "note",
             frees_text(cost.counts.contradictions) + " never completed, according to the entries");
  add_held(text, cost);
  if (device.eager) add_eager(text, *device.eager);
  add_releases(text, device, shown);
  add_tables(text, device, shown);
  for (const std::string& finding : findings_of(device))
    text += wrapped("  * ", shown_name(finding));
  return text;
}

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

std::string waiting_text(const WaitingOutcome& outcome) {
  const replay::RecordedWaiting& waiting = outcome.waiting;
  std::string text = shown_name(outcome.file) + "\n";
  for (const std::string& note : waiting.notes) add_line(text, "note", note);
  if (!waiting.obstacle.empty())
    add_line(text, "note", "nothing was replayed: " + waiting.obstacle);
  for (const DeviceWaiting& device : waiting.devices) text += device_text(device, outcome.shown);
  if (waiting.devices.empty()) text += "no device\n";
  return text;
}

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
