// `vramlab replay`: replays a recording or a program with other options, another GPU or another
// version. Of several files the worst is shown, and a table has all.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "allocator/checks/out_of_memory.h"
#include "allocator/types/check.h"
#include "replay/replayer/device_replay.h"
#include "replay/replayer/pinned_replay.h"
#include "replay/replayer/replay_report.h"
#include "replay/replayer/replay_watch.h"
#include "replay/settings_search/sweep.h"
#include "tools/cli/kit/arguments.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/explanation_report.h"
#include "tools/cli/kit/input_files.h"
#include "tools/cli/kit/messages.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/kit/several_files.h"
#include "tools/cli/kit/what_if_runs.h"
#include "tools/cli/printers/json_text.h"
#include "tools/cli/printers/shown_text.h"
#include "tools/cli/printers/table.h"
#include "tools/cli/printers/text_lines.h"
#include "traces/io/byte_sink.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

using allocator::PooledStatistic;
using nlohmann::ordered_json;
using replay::DeviceReport;
using replay::FailedRequest;
using replay::HostCallAt;
using replay::HostReport;
using replay::MemoryLevel;
using replay::ReachedPeak;
using NumberText = std::string (*)(std::int64_t number);

struct ReplayOutcome {
  std::string file;
  replay::ReplayReport report;
  /// Shows the figures of each failed request, instead of the first only.
  bool shows_all_failures = false;
  /// The tables of the failures' stacks.
  const traces::SnapshotTables& tables;
  /// The reason for the first failed request of each device, for people and as JSON; empty if it
  /// was not asked for.
  std::string explained_text = {};
  nlohmann::ordered_json explained = nlohmann::ordered_json::array();
};

std::string moment_text(const ReachedPeak& peak) {
  return format_bytes(peak.bytes) + " at event " + std::to_string(peak.event);
}

ordered_json moment_json(const ReachedPeak& peak) {
  return {{"bytes", peak.bytes.count}, {"event", peak.event}, {"time_ns", or_null(peak.time_ns)}};
}

ordered_json value_json(const StatisticValue& value) {
  return {{"current", value.current},
          {"peak", value.peak},
          {"allocated", value.allocated},
          {"freed", value.freed}};
}

/// By the power of two that a block's size is rounded up to.
ordered_json buckets_json(const HostStatisticValues& values) {
  ordered_json buckets = ordered_json::object();
  for (std::size_t bucket = 0; bucket < values.bucket_allocations.size(); ++bucket)
    if (values.bucket_allocations[bucket] != 0)
      buckets[std::to_string(bucket)] = values.bucket_allocations[bucket];
  return buckets;
}

ordered_json statistics_json(const HostStatisticValues& values) {
  return {{"active_requests", value_json(values.active_requests)},
          {"active_bytes", value_json(values.active_bytes)},
          {"allocations", value_json(values.allocations)},
          {"allocated_bytes", value_json(values.allocated_bytes)},
          {"num_host_alloc", values.allocations.allocated},
          {"num_host_free", values.allocations.freed},
          {"bucket_allocation", buckets_json(values)}};
}

ordered_json call_json(const HostCallAt& made) {
  return {{"event", made.event},
          {"call", host_system_action_name(made.call.action)},
          {"bytes", made.call.size.count}};
}

/// Such as ", 61 % more".
std::string waste_text(Bytes requested, Bytes given) {
  if (requested == Bytes{} || given <= requested) return "";
  const Bytes more = given - requested;
  const auto percent = static_cast<std::uint64_t>(
      static_cast<double>(more.count) * 100 / static_cast<double>(requested.count) + 0.5);
  return ", " + std::to_string(percent) + " % more";
}

std::string host_text(const HostReport& host) {
  std::string text = "pinned host memory\n";
  const replay::MetricValues metrics = host_metrics(host);
  const auto count = [&](std::string_view name) {
    return std::to_string(find_value(metrics, name)->value);
  };
  add_line(text, "requests",
           std::to_string(host.requests) + "; " + std::to_string(host.frees) + " frees");
  add_line(text, "peak requested", moment_text(host.peak_requested));
  add_line(text, "peak active", moment_text(host.peak_active));
  add_line(text, "peak pinned", moment_text(host.peak_pinned));
  add_line(text, "at the end",
           format_bytes(host.end_pinned) + " pinned, " + format_bytes(host.end_active) +
               " of them active");
  add_line(text, "system calls",
           count("host_allocs") + " allocations, " + count("host_releases") + " releases");
  add_line(text, "sizes",
           "requests of " + format_bytes(host.requested) + " got blocks of " +
               format_bytes(host.given) + waste_text(host.requested, host.given));
  return text;
}

ordered_json host_json(const HostReport& host) {
  return {{"requests", host.requests},
          {"frees", host.frees},
          {"requested_bytes", host.requested.count},
          {"given_bytes", host.given.count},
          {"peak_requested", moment_json(host.peak_requested)},
          {"peak_active", moment_json(host.peak_active)},
          {"peak_pinned", moment_json(host.peak_pinned)},
          {"end_active_bytes", host.end_active.count},
          {"end_pinned_bytes", host.end_pinned.count},
          {"statistics", statistics_json(host.statistics)},
          {"calls", json_list(host.calls, call_json)}};
}

enum class Letters : std::uint8_t { ascii, unicode };

constexpr std::size_t name_width = 11;
constexpr std::size_t least_columns = 20;
constexpr std::size_t most_columns = 60;

std::string named(const std::string& name, const std::string& line) {
  return "  " + padded(name, name_width) + line + "\n";
}

std::vector<std::uint64_t> values_of(const replay::MemoryCurve& curve, Bytes MemoryLevel::* held) {
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

/// At most `most` values; each is the highest of its share.
std::vector<std::uint64_t> thinned(const std::vector<std::uint64_t>& values, std::size_t most) {
  const std::size_t count = std::min(values.size(), most);
  std::vector<std::uint64_t> highest(count, 0);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t at = i * values.size() / count; at < (i + 1) * values.size() / count; ++at)
      highest[i] = std::max(highest[i], values[at]);
  return highest;
}

/// One letter for each value. Values from `top` on get the highest letter, and only 0 gets a blank.
std::string sparkline(const std::vector<std::uint64_t>& values, std::uint64_t top,
                      Letters letters) {
  const auto& row = letters == Letters::unicode ? unicode_letters : ascii_letters;
  std::string line;
  for (const std::uint64_t value : values) line += value == 0 ? " " : row[height_of(value, top)];
  return line;
}

std::string locale_of_environment() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
    // The program has only one thread at this time.
    if (const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
        value != nullptr && *value != '\0')
      return value;
  return {};
}

/// The letters that the terminal can show, by the locale in the environment.
Letters letters_of_terminal() {
  std::string name;
  for (const char letter : locale_of_environment())
    if (letter != '-') name += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return name.find("utf8") == std::string::npos ? Letters::ascii : Letters::unicode;
}

/// Memory over time as two sparklines, one below the other; empty if there was no event.
std::string curve_text(const DeviceReport& device) {
  if (device.curve.steps().empty()) return {};
  const std::size_t beside = name_width + 3;
  const std::size_t screen = screen_columns(80);
  const std::size_t room = screen > beside ? screen - beside : 0;
  const std::size_t width = std::clamp(room, least_columns, most_columns);
  const Letters letters = letters_of_terminal();
  const auto line = [&](Bytes MemoryLevel::* held) {
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
  std::string text = moment_text(peak);
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

std::string failure_text(const FailedRequest& failure, const traces::SnapshotTables& tables) {
  const std::string place = replay::line_of(failure.stack, tables);
  return "event " + std::to_string(failure.event) + (place.empty() ? "" : " at " + place) + ": " +
         out_of_memory_message(failure.figures);
}

std::string failures_text(const ReplayOutcome& outcome, const DeviceReport& device) {
  std::string text;
  const std::size_t shown = outcome.shows_all_failures ? device.failures.size() : 1;
  for (std::size_t i = 0; i < std::min(shown, device.failures.size()); ++i)
    add_line(text, "out of memory", failure_text(device.failures[i], outcome.tables));
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

/// The counts of a stream-ordered pool, which has terms of its own.
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

/// The row of a statistic, then its shares in the small and in the large pool.
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
  add_row(table, "classic segments", values.segment.all, count_text);
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

std::string replay_text(const ReplayOutcome& outcome) {
  const replay::ReplayReport& report = outcome.report;
  std::string text;
  add_line(text, "rules of", "PyTorch " + std::string(report.reference));
  add_line(text, "options", report.options.empty() ? "none" : report.options);
  add_line(
      text, "allocator calls",
      std::to_string(report.calls) + (report.stopped_at ? ", stopped at an out-of-memory" : ""));
  for (const std::string& note : report.notes) add_line(text, "note", note);
  for (const DeviceReport& device : report.devices) text += device_text(outcome, device);
  if (report.host) text += host_text(*report.host);
  return text + outcome.explained_text;
}

ordered_json peak_json(const ReachedPeak& peak) {
  return {{"bytes", peak.bytes.count}, {"event", peak.event}, {"time_ns", or_null(peak.time_ns)}};
}

ordered_json failure_json(const FailedRequest& failure, const traces::SnapshotTables& tables) {
  const OutOfMemory& figures = failure.figures;
  return {{"event", failure.event},
          {"call_site", text_or_null(replay::line_of(failure.stack, tables))},
          {"stream", failure.stream.value},
          {"requested_bytes", figures.request.count},
          {"device_request_bytes", figures.device_size.count},
          {"device_free_bytes", figures.device_free.count},
          {"allocated_bytes", figures.allocated.count},
          {"reserved_bytes", figures.reserved.count},
          {"message", out_of_memory_message(figures)}};
}

ordered_json pool_json(const streams::OrderedPoolCounts& counts) {
  return {{"reused", counts.reused},
          {"made_to_wait", counts.made_to_wait},
          {"moved", counts.moved},
          {"grown", counts.grown},
          {"units_created", counts.units_created},
          {"units_moved", counts.units_moved},
          {"units_released", counts.units_released}};
}

/// Steps of `events_per_step` events from event 0 on, each with the most memory held in it.
ordered_json curve_json(const replay::MemoryCurve& curve) {
  const auto held = [&](Bytes replay::MemoryLevel::* part) {
    return json_list(curve.steps(), [part](const auto& step) { return (step.*part).count; });
  };
  return {{"events_per_step", curve.events_per_step()},
          {"last_event", curve.last_event()},
          {"allocated_bytes", held(&replay::MemoryLevel::allocated)},
          {"reserved_bytes", held(&replay::MemoryLevel::reserved)}};
}

ordered_json end_json(const StatisticValues& statistics) {
  return {{"allocated_bytes", statistics.allocated_bytes.all.current},
          {"requested_bytes", statistics.requested_bytes.all.current},
          {"active_bytes", statistics.active_bytes.all.current},
          {"reserved_bytes", statistics.reserved_bytes.all.current},
          {"inactive_split_bytes", statistics.inactive_split_bytes.all.current},
          {"segments", statistics.segment.all.current}};
}

/// One pool's, as torch.cuda.memory_stats() has them in reserved_bytes_by_private_pools.
ordered_json private_pool_json(const std::pair<const PoolId, allocator::PooledStatistic>& pool) {
  const auto& [id, reserved] = pool;
  return {{"pool_id", {id.graph, id.user}},
          {"reserved_bytes", reserved.all.current},
          {"peak_reserved_bytes", reserved.all.peak},
          {"got_bytes", reserved.all.allocated},
          {"gave_back_bytes", reserved.all.freed}};
}

ordered_json counts_json(const replay::RecordedCounts& counts) {
  return {{"device_allocs", counts.device_allocs},
          {"device_frees", counts.device_frees},
          {"out_of_memory", counts.failures}};
}

ordered_json device_json(const DeviceReport& device, const traces::SnapshotTables& tables) {
  const auto of_failure = [&](const FailedRequest& failure) {
    return failure_json(failure, tables);
  };
  const StatisticValues& statistics = device.statistics;
  const bool has_memory = !device.memory_origin.empty();
  return {{"device", device.device.value},
          {"memory_bytes", has_memory ? ordered_json(device.memory.count) : ordered_json(nullptr)},
          {"memory_origin", device.memory_origin},
          {"held_by_others_bytes", or_null(device.held_by_others)},
          {"requests", device.requests},
          {"frees", device.frees},
          {"peak_allocated", peak_json(device.peak_allocated)},
          {"peak_reserved", peak_json(device.peak_reserved)},
          {"peak_requested_bytes", statistics.requested_bytes.all.peak},
          {"peak_active_bytes", statistics.active_bytes.all.peak},
          {"recorded_peak_requested_bytes", or_null(device.recorded_peak_requested)},
          {"recorded_peak_reserved_bytes", or_null(device.recorded_peak_reserved)},
          {"end", end_json(statistics)},
          {"private_pools", json_list(device.reserved_by_private_pools, private_pool_json)},
          {"device_allocs", device.device_calls.allocations},
          {"device_frees", device.device_calls.releases},
          {"units_mapped", device.device_calls.units_created},
          {"alloc_retries", statistics.num_alloc_retries},
          {"stream_ordered", or_null(device.pool, pool_json)},
          {"metrics", metrics_json(run_metrics(device))},
          {"curve", curve_json(device.curve)},
          {"out_of_memory", json_list(device.failures, of_failure)},
          {"depends_from", or_null(device.depends_from)},
          {"recorded_counts", or_null(device.recorded_counts, counts_json)}};
}

ordered_json replay_json(const ReplayOutcome& outcome) {
  const replay::ReplayReport& report = outcome.report;
  const auto of_device = [&](const DeviceReport& device) {
    return device_json(device, outcome.tables);
  };
  return {{"schema_version", 3},
          {"file", outcome.file},
          {"reference", report.reference},
          {"options", report.options},
          {"allocator_calls", report.calls},
          {"stopped_at", or_null(report.stopped_at)},
          {"notes", report.notes},
          {"metrics", metrics_json(run_metrics(report))},
          {"out_of_memory", outcome.explained},
          {"devices", json_list(report.devices, of_device)},
          {"host", or_null(report.host, host_json)}};
}

/// The answer about one file.
struct ReplayAnswer {
  /// For people, without the name of the file.
  std::string text;
  ordered_json json;
  replay::SweepFigures figures;
  /// The file's own peak, of all devices; empty where one has none.
  std::optional<Bytes> recorded_peak_reserved;
};

std::optional<Bytes> recorded_peak_of(const replay::ReplayReport& report) {
  Bytes all;
  for (const DeviceReport& device : report.devices) {
    if (!device.recorded_peak_reserved) return std::nullopt;
    all += *device.recorded_peak_reserved;
  }
  return all;
}

using ReplayAnswers = FileAnswers<ReplayAnswer>;

Table files_table(const ReplayAnswers& all) {
  const std::vector<std::string>& files = all.files;
  const std::vector<ReplayAnswer>& answers = all.answers;
  Table table({name_column("file"),
               {"peak allocated"},
               {"peak reserved"},
               {"recorded"},
               {"device calls"},
               {"out of memory"}});
  const std::vector<std::string> names = short_names(files);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const replay::MetricValues& metrics = answers[i].figures.metrics;
    const auto& recorded = answers[i].recorded_peak_reserved;
    const std::int64_t failures = value_of(metrics, "out_of_memory");
    table.add({names[i], bytes_text(value_of(metrics, "peak_allocated")),
               bytes_text(value_of(metrics, "peak_reserved")),
               recorded ? format_bytes(*recorded) : "-", count_text(device_calls_of(metrics)),
               failures > 0 ? count_text(failures) + " failed" : "no"});
  }
  return table;
}

std::string printed(ReplayAnswers& files, const CommonFlags& flags) {
  std::vector<ReplayAnswer>& answers = files.answers;
  const auto found = std::ranges::max_element(
      answers,
      [](const ReplayAnswer& a, const ReplayAnswer& b) { return is_better(a.figures, b.figures); });
  const auto worst = static_cast<std::size_t>(found - answers.begin());
  if (flags.json) {
    std::vector<ordered_json> documents;
    for (ReplayAnswer& answer : answers) documents.push_back(std::move(answer.json));
    return json_text(of_files_json(std::move(documents), worst));
  }
  const std::string text = worst_heading(files.files, worst) + found->text;
  return answers.size() > 1 ? text + "\n" + files_table(files).text_within(table_columns()) : text;
}

class TimelineFile {
 public:
  TimelineFile(const std::string& path, traces::Overwrite overwrite) : output_(path, overwrite) {
    output_.write(
        "event,time_ns,device,requested_bytes,allocated_bytes,active_bytes,reserved_bytes\n");
  }

  /// One line, unless the event changed none of the figures.
  void add(const replay::DeviceReplay& replay, const traces::ProgramEvent& event,
           std::uint64_t number) {
    const StatisticValues values = replay.statistics();
    std::string figures;
    for (const allocator::PooledStatistic* value :
         {&values.requested_bytes, &values.allocated_bytes, &values.active_bytes,
          &values.reserved_bytes})
      figures += "," + std::to_string(value->all.current);
    std::string& last = last_figures_[replay.device()];
    if (figures == last) return;
    const std::string time = event.time_ns ? std::to_string(*event.time_ns) : std::string();
    output_.write(std::to_string(number) + "," + time + "," +
                  std::to_string(replay.device().value) + figures + "\n");
    last = std::move(figures);
  }
  void finish() { output_.finish(); }
  const std::string& temporary_path() const { return output_.temporary_path(); }

 private:
  traces::OutputFile output_;
  std::map<traces::DeviceIndex, std::string> last_figures_;
};

struct ReplayCommand {
  std::vector<std::string> files;
  ReplayArguments replay;
  std::string snapshot_out;
  std::string snapshot_at;
  std::string timeline;
  std::uint64_t history = 1'000'000;
  bool fails_on_out_of_memory = false;
  bool may_overwrite = false;
  CommonFlags flags;

  bool explains_failures() const { return replay.on_out_of_memory == "report"; }
  /// A moment before the end is found in one replay and shown in the next.
  bool goes_through_once() const {
    return !explains_failures() &&
           (snapshot_out.empty() || moment_of(snapshot_at)->kind == replay::MomentKind::end);
  }
  traces::Overwrite overwrite() const {
    return may_overwrite ? traces::Overwrite::allowed : traces::Overwrite::refused;
  }
};

/// The timeline and the snapshot that were asked for. Opened before the replay, which can take
/// long: a name that can't be written to is refused at once.
class ReplayOutputs {
 public:
  explicit ReplayOutputs(const ReplayCommand& command) {
    if (!command.timeline.empty()) refuse_several(command.files, "--timeline");
    if (!command.snapshot_out.empty()) refuse_several(command.files, "--snapshot-out");
    if (!command.timeline.empty() && command.timeline == command.snapshot_out)
      throw traces::InputError(
          {"--timeline", "", "another file than --snapshot-out", command.timeline});
    for (const std::string* const output : {&command.timeline, &command.snapshot_out}) {
      refuse_standard_output(*output, "the answer's");
      refuse_input_as_output(*output, command.files);
    }
    std::vector<std::string> unfinished;
    if (!command.timeline.empty()) {
      timeline_.emplace(command.timeline, command.overwrite());
      unfinished.push_back(timeline_->temporary_path());
    }
    if (!command.snapshot_out.empty()) {
      snapshot_.emplace(command.snapshot_out, command.overwrite());
      unfinished.push_back(snapshot_->temporary_path());
    }
    removal_.begin(std::move(unfinished));
  }

  replay::ReplayReport run(const replay::Replayer& replayer,
                           const replay::ReplayConditions& conditions,
                           const ReplayCommand& command) {
    replay::ReplayReport report = snapshot_ ? run_with_snapshot(replayer, conditions, command)
                                            : replayer.run(conditions, watch());
    if (timeline_) timeline_->finish();
    return report;
  }

 private:
  replay::ReplayWatch watch() {
    replay::ReplayWatch watch;
    if (timeline_)
      watch.after_event = [this](replay::DeviceReplay& device, const traces::ProgramEvent& event,
                                 std::uint64_t number) { timeline_->add(device, event, number); };
    return watch;
  }

  replay::ReplayReport run_with_snapshot(const replay::Replayer& replayer,
                                         const replay::ReplayConditions& conditions,
                                         const ReplayCommand& command) {
    const replay::StatesAtMoment at =
        states_at(replayer, conditions, *moment_of(command.snapshot_at), watch());
    traces::SnapshotTables& tables = replayer.tables();
    write_snapshot(*snapshot_, command.snapshot_out, at,
                   replay::settings_value(at.report.options, tables.texts), tables);
    snapshot_->finish();
    return at.report;
  }

  RemovalOnInterrupt removal_;
  std::optional<TimelineFile> timeline_;
  std::optional<traces::OutputFile> snapshot_;
};

/// Adds, for each device, the reason why its first request failed and changes that would have
/// helped.
void explain_failures(const ReplayedFile& file, const replay::ReplayConditions& conditions,
                      const ReplayCommand& command, ReplayOutcome& outcome) {
  if (!outcome.report.has_failures()) return;
  const auto states =
      states_at(file.replayer, conditions, {replay::MomentKind::out_of_memory}, outcome.report);
  const replay::HelpSearch search{file.replayer, conditions_of(command.replay), settings_runner(),
                                  replay_effort()};
  const traces::SnapshotTables& tables = file.replayer.tables();
  for (const replay::DeviceState& state : states)
    for (const replay::DeviceReport& device : outcome.report.devices) {
      if (device.device != state.device || device.failures.empty()) continue;
      const replay::FailureExplanation explained = explain_replayed(state, device, tables, &search);
      outcome.explained_text += answer_of(explained, tables).text();
      outcome.explained.push_back(out_of_memory_json(explained, tables));
    }
}

ReplayAnswer replay_file(const std::string& name, const ReplayCommand& command,
                         ReplayOutputs& outputs, ProgressBar& bar) {
  replay::ReplayConditions conditions = conditions_of(command.replay);
  if (!command.snapshot_out.empty()) conditions.history_capacity = as_limit(command.history);
  if (!command.snapshot_out.empty() || command.explains_failures())
    conditions.notes_origins = replay::NotesOrigins::yes;
  const auto passes = command.goes_through_once() ? replay::Passes::one : replay::Passes::many;
  const auto file = open_kept(name, bar.listener(), {conditions.version, {}, passes});
  bar.show("replays");
  ReplayOutcome outcome{name, outputs.run(file->replayer, conditions, command),
                        command.explains_failures() || command.flags.verbose,
                        file->replayer.tables()};
  for (const std::string& note : notes_on(command.replay)) outcome.report.notes.push_back(note);
  if (command.explains_failures()) explain_failures(*file, conditions, command, outcome);
  ReplayAnswer answer{{}, {}, figures_of(name, outcome.report), recorded_peak_of(outcome.report)};
  if (command.flags.json)
    answer.json = replay_json(outcome);
  else
    answer.text = replay_text(outcome);
  return answer;
}

ExitStatus replay_files(const ReplayCommand& command) {
  ReplayOutputs outputs(command);
  ReplayAnswers files = answer_each_file<ReplayAnswer>(
      command.files, command.flags, usual_thread_count(), [&](std::size_t i, ProgressBar& bar) {
        return replay_file(command.files[i], command, outputs, bar);
      });
  const bool has_failures = std::ranges::any_of(
      files.answers, [](const ReplayAnswer& answer) { return answer.figures.failed.has_value(); });
  print(printed(files, command.flags));
  if (tell_refused(files.refused) != ExitStatus::done) return ExitStatus::bad_input;
  return command.fails_on_out_of_memory && has_failures ? ExitStatus::answer_is_no
                                                        : ExitStatus::done;
}

void add_outputs(CLI::App& command, ReplayCommand& arguments) {
  CLI::Option* out =
      command.add_option("--snapshot-out", arguments.snapshot_out,
                         "Write the state as a memory snapshot: a pickle, or JSON (.json)");
  add_moment(
      command, "--snapshot-at", arguments.snapshot_at,
      "When: peak (of allocated memory), peak_reserved, oom, end, an event's number or a time "
      "such as 12.5ms (default: end)")
      ->default_str("end")
      ->needs(out);
  arguments.snapshot_at = "end";
  command
      .add_option("--history", arguments.history,
                  "Entries of history in the snapshot, at most (default: a million)")
      ->needs(out);
  command.add_option("--timeline", arguments.timeline,
                     "Write current memory after each event, as CSV");
  command.add_flag("--fail-on-oom", arguments.fails_on_out_of_memory,
                   "Exit with 1 if a request fails");
  command.add_flag("--force", arguments.may_overwrite, "Overwrite outputs");
}

void add_options(CLI::App& command, ReplayCommand& arguments) {
  add_file(command, arguments.files,
           "Recordings or programs, in any format that vramlab info knows; of several the worst is "
           "shown, and a table has all (- is standard input)");
  add_replay_options(command, arguments.replay);
  add_segment_order(command, arguments.replay);
  add_outputs(command, arguments);
}

}  // namespace

Command replay_command() {
  return {"replay", "Replay a recording under other options, on another GPU or in another version",
          "Example: vramlab replay snapshot.pickle --conf expandable_segments:True --gpu a100-80gb",
          with<ReplayCommand>(add_options, replay_files)};
}

}  // namespace vramlab::tools
