#include "tools/cli/commands/replay/replay_outcome.h"

#include <sys/ioctl.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

#include "allocator/checks/out_of_memory.h"
#include "tools/cli/commands/replay/replay_host.h"
#include "tools/cli/printers/table.h"
#include "tools/cli/printers/text_lines.h"

namespace vramlab::tools {
namespace {

using NumberText = std::string (*)(std::int64_t number);
using allocator::PooledStatistic;
using replay::DeviceReport;
using replay::FailedRequest;
using replay::MemoryLevel;
using replay::ReachedPeak;

enum class Letters : std::uint8_t { ascii, unicode };

constexpr std::size_t name_width = 11;
constexpr std::size_t least_columns = 20;
constexpr std::size_t most_columns = 60;

std::string named(const std::string& name, const std::string& line) {
  return "  " + padded(name, name_width) + line + "\n";
}

std::vector<std::uint64_t> values_of(const replay::MemoryCurve& curve, Bytes MemoryLevel::*held) {
  std::vector<std::uint64_t> values;
  for (const MemoryLevel& step : curve.steps()) values.push_back((step.*held).count);
  return values;
}

/// The first event and the last, below the ends of the curve.
std::string axis_text(const DeviceReport& device, std::size_t width) {
  const std::string from = "event 0";
  std::string to = "event " + std::to_string(device.curve.last_event());
  if (device.begin_ns && device.end_ns && *device.end_ns > *device.begin_ns)
    to += ", " + nanoseconds_text(*device.end_ns - *device.begin_ns);
  const std::size_t between = width > from.size() ? width - from.size() : 0;
  return from + right(to, std::max(between, to.size() + 2));
}

/// U+2581 to U+2588.
constexpr std::array<const char*, 8> unicode_letters = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<const char*, 8> ascii_letters = {".", ":", "-", "=", "+", "*", "%", "#"};

/// From 0, for less than an eighth of the top, to 7.
std::size_t height_of(std::uint64_t value, std::uint64_t top) {
  if (value >= top) return unicode_letters.size() - 1;
  const double share = static_cast<double>(value) / static_cast<double>(top);
  const auto eighth = static_cast<std::size_t>(share * static_cast<double>(unicode_letters.size()));
  return std::min(eighth, unicode_letters.size() - 1);
}

/// At most so many values; each is the highest of its share.
std::vector<std::uint64_t> thinned(const std::vector<std::uint64_t>& values, std::size_t most) {
  const std::size_t count = std::min(values.size(), most);
  std::vector<std::uint64_t> highest(count, 0);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t at = i * values.size() / count; at < (i + 1) * values.size() / count; ++at)
      highest[i] = std::max(highest[i], values[at]);
  return highest;
}

/// One letter for each value; what is `top` or higher gets the highest one, and only nothing a
/// blank.
std::string sparkline(const std::vector<std::uint64_t>& values, std::uint64_t top,
                      Letters letters) {
  const auto& row = letters == Letters::unicode ? unicode_letters : ascii_letters;
  std::string line;
  for (const std::uint64_t value : values) line += value == 0 ? " " : row[height_of(value, top)];
  return line;
}

std::string locale_of_environment() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
    // The program has one thread when this is asked.
    if (const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
        value != nullptr && *value != '\0')
      return value;
  return {};
}

/// Those that the terminal shows, by the locale in the environment.
Letters letters_of_terminal() {
  std::string name;
  for (const char letter : locale_of_environment())
    if (letter != '-') name += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return name.find("utf8") == std::string::npos ? Letters::ascii : Letters::unicode;
}

/// The width of the terminal that standard output is; 80 if it is none.
std::size_t screen_columns() {
  constexpr std::size_t usual_columns = 80;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return usual_columns;
  return size.ws_col;
}

/// Memory over time as two sparklines, one below the other; empty where there was no event.
std::string curve_text(const DeviceReport& device) {
  if (device.curve.steps().empty()) return {};
  const std::size_t beside = name_width + 3;
  const std::size_t screen = screen_columns();
  const std::size_t room = screen > beside ? screen - beside : 0;
  const std::size_t width = std::clamp(room, least_columns, most_columns);
  const Letters letters = letters_of_terminal();
  const auto line = [&](Bytes MemoryLevel::*held) {
    const std::uint64_t top =
        std::max(device.peak_reserved.bytes.count, device.peak_allocated.bytes.count);
    return sparkline(thinned(values_of(device.curve, held), width), top, letters);
  };
  const std::size_t columns = std::min(width, device.curve.steps().size());
  return "  over time, peak " + format_bytes(device.peak_reserved.bytes) + "\n" +
         named("reserved", line(&MemoryLevel::reserved)) +
         named("allocated", line(&MemoryLevel::allocated)) + named("", axis_text(device, columns));
}

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

std::string bytes_text(std::int64_t count) {
  const Bytes bytes{static_cast<std::uint64_t>(std::max<std::int64_t>(0, count))};
  return format_bytes(bytes);
}

std::string count_text(std::int64_t count) { return std::to_string(count); }

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

std::string statistics_text(const DeviceReport& device) {
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

std::string device_text(const ReplayOutcome& outcome, const DeviceReport& device) {
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
  text += curve_text(device);
  add_line(text, "peak allocated", moment_text(device.peak_allocated, device));
  const auto requested = static_cast<std::uint64_t>(device.statistics.requested_bytes.all.peak);
  add_line(text, "peak requested",
           format_bytes(Bytes{requested}) + recorded_text(device.recorded_peak_requested));
  add_line(
      text, "peak reserved",
      moment_text(device.peak_reserved, device) + recorded_text(device.recorded_peak_reserved));
  text += device.pool ? ordered_calls_text(*device.pool) : native_calls_text(device);
  return text + statistics_text(device) + failures_text(outcome, device);
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
  if (report.host) text += host_text(*report.host);
  return text + outcome.explained_text;
}

}  // namespace vramlab::tools
