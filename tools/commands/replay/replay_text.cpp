#include "tools/commands/replay/replay_outcome.h"

#include <algorithm>

#include "allocator/readonly/out_of_memory.h"
#include "tools/printers/table.h"
#include "tools/printers/text_lines.h"

namespace vramlab::tools {
namespace {

using allocator::Bytes;
using allocator::PooledStatistic;
using allocator::StatisticValue;
using allocator::StatisticValues;
using replay::DeviceReport;
using replay::FailedRequest;
using replay::ReachedPeak;

std::string moment_text(const ReachedPeak& peak, const DeviceReport& device) {
  std::string text = format_bytes(peak.bytes) + " at event " + std::to_string(peak.event);
  if (peak.time_ns && device.begin_ns && *peak.time_ns >= *device.begin_ns)
    text += ", after " + nanoseconds_text(*peak.time_ns - *device.begin_ns);
  return text;
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

std::string native_calls_text(const DeviceReport& device) {
  std::string text;
  add_line(text, "device calls", calls_text(device));
  add_line(text, "retries",
           std::to_string(device.statistics.num_alloc_retries) + " after releasing everything");
  return text;
}

/// What a stream-ordered pool does goes by other words.
std::string ordered_calls_text(const streams::OrderedPoolCounts& counts) {
  std::string text;
  add_line(text, "stream-ordered",
           std::to_string(counts.reused) + " requests from free memory, " +
               std::to_string(counts.made_to_wait) +
               " of other streams' that had to be waited "
               "for, " +
               std::to_string(counts.moved) + " after moving free units, " +
               std::to_string(counts.grown) + " from new units");
  add_line(text, "units",
           std::to_string(counts.units_created) + " created, " +
               std::to_string(counts.units_moved) + " moved, " +
               std::to_string(counts.units_released) + " released");
  return text;
}

std::string device_text(const ReplayOutcome& outcome, const DeviceReport& device,
                        const CurveStyle& style) {
  std::string text = "device " + std::to_string(device.device.value) + "\n";
  add_line(text, "memory",
           device.memory_origin.empty()
               ? std::string("no limit")
               : format_bytes(device.memory) + ", " + device.memory_origin);
  if (device.held_by_others)
    add_line(text, "held by others", format_bytes(*device.held_by_others) + " of it, as given");
  add_line(text, "requests",
           std::to_string(device.requests) + ", " + std::to_string(device.failures.size()) +
               " failed; " + std::to_string(device.frees) + " frees");
  text += replay_curve_text(device, style);
  add_line(text, "peak allocated", moment_text(device.peak_allocated, device));
  const auto requested = static_cast<std::uint64_t>(device.statistics.requested_bytes.all.peak);
  add_line(text, "peak requested",
           format_bytes(Bytes{requested}) + recorded_text(device.recorded_peak_requested));
  add_line(
      text, "peak reserved",
      moment_text(device.peak_reserved, device) + recorded_text(device.recorded_peak_reserved));
  text += device.pool ? ordered_calls_text(*device.pool) : native_calls_text(device);
  return text + replay_figures_text(device) + failures_text(outcome, device);
}

std::string bytes_text(std::int64_t count) {
  const allocator::Bytes bytes{static_cast<std::uint64_t>(std::max<std::int64_t>(0, count))};
  return format_bytes(bytes);
}

std::string count_text(std::int64_t count) { return std::to_string(count); }

using NumberText = std::string (*)(std::int64_t number);

void add_row(Table& table, const std::string& name, const StatisticValue& value,
             NumberText number) {
  table.add({name, number(value.current), number(value.peak), number(value.allocated),
             number(value.freed)});
}

/// With what of it is in the pools of small and of large blocks.
void add_rows(Table& table, const std::string& name, const PooledStatistic& value) {
  add_row(table, name, value.all, bytes_text);
  add_row(table, "  small pool", value.small_pool, bytes_text);
  add_row(table, "  large pool", value.large_pool, bytes_text);
}

}  // namespace

std::string replay_text(const ReplayOutcome& outcome, const CurveStyle& style) {
  const replay::ReplayReport& report = outcome.report;
  std::string text = outcome.file + "\n";
  add_line(text, "reference", report.reference);
  add_line(text, "options", report.options.empty() ? "none" : report.options);
  add_line(
      text, "events",
      std::to_string(report.events) + (report.stopped_at ? ", stopped at an out-of-memory" : ""));
  for (const std::string& note : report.notes) add_line(text, "note", note);
  for (const DeviceReport& device : report.devices) text += device_text(outcome, device, style);
  return text + outcome.explained_text;
}

std::string replay_figures_text(const replay::DeviceReport& device) {
  const StatisticValues& values = device.statistics;
  Table table({left("", line_name_width),
               {"current", 12},
               {"peak", 12},
               {"total allocated", 12},
               {"total freed", 12}});
  // A stream-ordered pool has no halves, and counts no blocks.
  if (device.pool) {
    add_row(table, "allocated", values.allocated_bytes.all, bytes_text);
    add_row(table, "requested", values.requested_bytes.all, bytes_text);
    add_row(table, "reserved", values.reserved_bytes.all, bytes_text);
    return table.text();
  }
  add_rows(table, "allocated", values.allocated_bytes);
  add_row(table, "active", values.active_bytes.all, bytes_text);
  add_row(table, "requested", values.requested_bytes.all, bytes_text);
  add_rows(table, "reserved", values.reserved_bytes);
  add_row(table, "inactive split", values.inactive_split_bytes.all, bytes_text);
  add_row(table, "allocations", values.allocation.all, count_text);
  add_row(table, "active blocks", values.active.all, count_text);
  add_row(table, "inactive blocks", values.inactive_split.all, count_text);
  add_row(table, "segments", values.segment.all, count_text);
  return table.text();
}

}  // namespace vramlab::tools
