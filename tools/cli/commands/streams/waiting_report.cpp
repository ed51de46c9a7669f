#include "tools/cli/commands/streams/stream_report.h"

#include <algorithm>
#include <sstream>

#include "tools/cli/printers/text_lines.h"

namespace vramlab::tools {
namespace {

using replay::DeviceWaiting;
using replay::EagerFrees;
using replay::WaitingCost;
using replay::WaitingRelease;

std::string frees_text(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " free" : " frees");
}

/// In lines of bearable length, all under the first one's beginning.
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
    text += start + "allocated " + allocated_text(place) + "\n";
    if (!place.freed_at.empty())
      text += std::string(start.size(), ' ') + "freed " + freed_text(place) + "\n";
  }
}

/// What is known without a history.
std::string final_text(const WaitingCost& cost) {
  if (cost.final_blocks == 0) return ", and nothing waits in the final state";
  return "; " + frees_text(cost.final_blocks) + (cost.final_blocks == 1 ? " waits" : " wait") +
         " in the final state, " + format_bytes(cost.final_bytes);
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
  for (const std::string& finding : findings_of(device)) text += wrapped("  * ", finding);
  return text;
}

}  // namespace

std::string waiting_text(const WaitingOutcome& outcome) {
  const replay::RecordedWaiting& waiting = outcome.waiting;
  std::string text = outcome.file + "\n";
  for (const std::string& note : waiting.notes) add_line(text, "note", note);
  if (!waiting.obstacle.empty())
    add_line(text, "note", "nothing was replayed: " + waiting.obstacle);
  for (const DeviceWaiting& device : waiting.devices) text += device_text(device, outcome.shown);
  if (waiting.devices.empty()) text += "no device\n";
  return text;
}

}  // namespace vramlab::tools
