#include "tools/cli/commands/streams/stream_report.h"

#include <algorithm>
#include <cmath>

#include "tools/cli/printers/text_lines.h"

namespace vramlab::tools {
namespace {

using replay::DeviceWaiting;
using replay::EagerFrees;
using replay::WaitingCost;
using replay::WaitingPlace;
using replay::WaitingTotals;

constexpr std::size_t most_named_places = 3;

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

std::string count_text(std::uint64_t count, const std::string& one, const std::string& many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

std::string place_finding(const WaitingPlace& place, const WaitingCost& cost) {
  std::string text = std::to_string(share_percent(place.totals, cost.totals)) +
                     " % of the cost is memory allocated " + allocated_text(place);
  if (!place.freed_at.empty()) text += " and freed " + freed_text(place);
  return text + ": " + cost_text(place.totals, cost) + " in " +
         count_text(place.totals.count, "free", "frees") + " of " +
         format_bytes(place.totals.bytes) + " together.";
}

/// The costliest, and others that have a tenth of it all.
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

/// What completing at once would save, as far as a replay can tell.
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

/// That the program stood still while the allocator waited, and for how long.
std::string stall_finding(const DeviceWaiting& device) {
  std::uint64_t count = 0;
  std::uint64_t shown_us = 0;
  for (const replay::WaitingRelease& release : device.releases) {
    if (!release.synchronised) continue;
    ++count;
    shown_us = replay::bounded_sum(shown_us, release.shown_us.value_or(0));
  }
  std::string text = count_text(count, "time", "times") +
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

}  // namespace

std::string cost_text(const WaitingTotals& totals, const WaitingCost& cost) {
  if (cost.span_us.value_or(0) == 0) return factor_text(Bytes{totals.byte_events}) + "-events";
  const replay::ByteTime& held = totals.byte_time;
  if (held.byte_seconds == 0) return factor_text(Bytes{held.rest}) + "-microseconds";
  return factor_text(Bytes{held.byte_seconds}) + "-seconds";
}

std::string allocated_text(const WaitingPlace& place) {
  if (!place.allocated_at.empty()) return "at " + place.allocated_at;
  return place.is_older ? "before the recording began, or without a stack" : "without a stack";
}

std::string freed_text(const WaitingPlace& place) {
  return place.freed_at.empty() ? "without a stack" : "at " + place.freed_at;
}

std::uint64_t share_percent(const WaitingTotals& part, const WaitingTotals& whole) {
  const bool by_time = whole.byte_time > replay::ByteTime{};
  const auto amount = [&](const WaitingTotals& totals) {
    return by_time ? byte_seconds(totals.byte_time) : static_cast<double>(totals.byte_events);
  };
  if (amount(whole) <= 0) return 0;
  return static_cast<std::uint64_t>(std::llround(100 * amount(part) / amount(whole)));
}

Bytes mean_held(const WaitingCost& cost) {
  const std::uint64_t span = cost.span_us.value_or(0);
  if (span == 0)
    return {cost.event_count < 2 ? 0 : cost.totals.byte_events / (cost.event_count - 1)};
  return {static_cast<std::uint64_t>(byte_seconds(cost.totals.byte_time) * 1e6 /
                                     static_cast<double>(span))};
}

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

}  // namespace vramlab::tools
