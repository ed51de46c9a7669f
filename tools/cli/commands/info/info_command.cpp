// `vramlab info`: shows the contents of a recording.
#include <array>
#include <cstdint>
#include <ctime>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "allocator/types/bytes_and_ids.h"
#include "replay/recording/recording_summary.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/input_files.h"
#include "tools/cli/kit/memory_timeline_text.h"
#include "tools/cli/kit/messages.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/kit/recordings_table.h"
#include "tools/cli/kit/several_files.h"
#include "tools/cli/kit/what_if_runs.h"
#include "tools/cli/printers/json_text.h"
#include "tools/cli/printers/shown_text.h"
#include "tools/cli/printers/text_lines.h"
#include "traces/filters/host_recording.h"
#include "traces/formats/trace_formats.h"
#include "traces/logs/address_program.h"
#include "traces/logs/memory_timeline.h"
#include "traces/model/program_event.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;
using replay::DeviceSummary;
using traces::ProgramEventKind;
using traces::ProgramSummary;

struct InfoOutcome {
  std::string file;
  /// Such as `PyTorch snapshot (pickle)`.
  std::string format;
  /// The outermost one first.
  std::vector<traces::Packing> packings;
  /// Such as `protocol 4, written by Python`.
  std::string encoding;
  std::uint64_t bytes = 0;
  replay::RecordingSummary summary;
  /// Pinned host memory, if the recording has it.
  std::optional<replay::DeviceSummary> host;
  /// Set for formats that hold programs.
  std::optional<traces::ProgramSummary> program;
  /// Set for a log that names memory by its address.
  std::optional<traces::LogFacts> log;
  /// The test of pytest that was recorded; empty for other recordings.
  std::string test;
  /// Set for a memory timeline, which has nothing else.
  std::optional<traces::MemoryTimeline> timeline;
};

void add_known(std::string& text, const std::string& name, const std::string& value) {
  if (!value.empty()) add_line(text, name, value);
}

std::string device_text(const traces::TraceDevice& device) {
  std::string text = "device " + std::to_string(device.index.value);
  if (!device.name.empty()) text += ", " + device.name;
  if (device.memory.count != 0) text += ", " + format_bytes(device.memory);
  return text;
}

std::string header_text(const traces::TraceHeader& header) {
  std::string text;
  add_known(text, "origin", header.origin);
  add_known(text, "rules of", header.reference.empty() ? "" : "PyTorch " + header.reference);
  add_known(text, "settings", header.settings);
  for (const traces::TraceDevice& device : header.devices)
    add_known(text, "on", device_text(device));
  return text.empty() ? text : "header\n" + text;
}

template <typename Use>
void for_each_count(const ProgramSummary& summary, const Use& use) {
  for (std::size_t i = 0; i < summary.counts.size(); ++i)
    if (summary.counts[i] != 0)
      use(std::string(program_event_name(static_cast<ProgramEventKind>(i))), summary.counts[i]);
}

/// Empty if there is nothing to report.
std::string program_text(const ProgramSummary& summary) {
  std::string text = header_text(summary.header);
  if (summary.event_count() == 0) return text;
  text += "program\n";
  std::string kinds;
  for_each_count(summary, [&](const std::string& name, std::uint64_t count) {
    kinds += (kinds.empty() ? " (" : ", ") + name + " " + std::to_string(count);
  });
  add_known(text, "events", std::to_string(summary.event_count()) + kinds + ")");
  add_known(text, "requested", format_bytes(summary.requested) + " in all");
  if (summary.times)
    add_known(text, "time",
              "from " + std::to_string(summary.times->first_ns) + " ns to " +
                  std::to_string(summary.times->last_ns) + " ns");
  return text;
}

ordered_json program_json(const ProgramSummary& summary) {
  ordered_json events = ordered_json::object();
  for_each_count(summary,
                 [&](const std::string& name, std::uint64_t count) { events[name] = count; });
  const auto device_json = [](const traces::TraceDevice& device) -> ordered_json {
    return {{"device", device.index.value},
            {"memory_bytes", device.memory.count},
            {"name", device.name}};
  };
  const auto time_ns = [&](std::uint64_t traces::ProgramTimes::* end) {
    return or_null(summary.times, [end](const traces::ProgramTimes& times) { return times.*end; });
  };
  return {{"origin", summary.header.origin},
          {"reference", summary.header.reference},
          {"settings", summary.header.settings},
          {"devices", json_list(summary.header.devices, device_json)},
          {"events", summary.event_count()},
          {"events_by_kind", events},
          {"requested_bytes", summary.requested.count},
          {"first_time_ns", time_ns(&traces::ProgramTimes::first_ns)},
          {"last_time_ns", time_ns(&traces::ProgramTimes::last_ns)}};
}

/// Empty if nothing was left out or assumed.
std::string log_text(const traces::LogFacts& log) {
  struct Row {
    const char* name;
    std::uint64_t count;
    const char* meaning;
  };
  const Row rows[] = {
      {"out of memory", log.failures, " failed requests, which are markers"},
      {"before the log", log.mallocs_before_begin,
       " blocks that are only freed in it: a malloc was added at its start"},
      {"frees missing", log.assumed_frees, " blocks allocated again without one: a free was added"},
      {"mallocs missing", log.lone_frees, " blocks freed again without one: left out"},
      {"empty requests", log.empty_requests, " events of 0 bytes: left out"},
      {"other devices", log.of_other_devices, " events of the CPU or other devices: left out"},
  };
  std::string text;
  for (const Row& row : rows)
    if (row.count > 0) add_known(text, row.name, std::to_string(row.count) + row.meaning);
  if (log.was_sorted) add_known(text, "order", "events were not in order of time: sorted");
  return text.empty() ? text : "log\n" + text;
}

ordered_json log_json(const traces::LogFacts& log) {
  return {
      {"failed_requests", log.failures},      {"mallocs_before_begin", log.mallocs_before_begin},
      {"assumed_frees", log.assumed_frees},   {"lone_frees", log.lone_frees},
      {"empty_requests", log.empty_requests}, {"events_of_other_devices", log.of_other_devices},
      {"was_sorted", log.was_sorted}};
}

constexpr std::size_t most_listed = 8;

std::string utc_text(std::uint64_t time_us) {
  const auto seconds = static_cast<std::time_t>(time_us / 1'000'000);
  std::tm parts{};
  if (gmtime_r(&seconds, &parts) == nullptr) return std::to_string(time_us) + " us";
  std::array<char, 64> text{};
  const std::size_t length =
      std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &parts);
  return {text.data(), length};
}

/// Such as `2: 0, 7`; only the first of many.
template <typename Items, typename NameOf>
std::string listed(const Items& items, const NameOf& name_of) {
  std::string text = std::to_string(items.size());
  std::size_t count = 0;
  for (const auto& item : items) {
    text += count == 0 ? ": " : ", ";
    if (count++ == most_listed) return text + "...";
    text += name_of(item);
  }
  return text;
}

std::string stream_name(StreamId stream) { return std::to_string(stream.value); }

void add_events(std::string& lines, const DeviceSummary& device) {
  std::string kinds;
  for (const replay::ActionCount& action : device.actions)
    kinds += (kinds.empty() ? " (" : ", ") + action.action + " " + std::to_string(action.count);
  if (!kinds.empty()) kinds += ")";
  add_line(lines, "events", std::to_string(device.event_count) + kinds);
  if (device.time)
    add_line(lines, "time",
             utc_text(device.time->first_us) + ", for " +
                 duration_text(device.time->last_us - device.time->first_us));
}

void add_segments(std::string& lines, const replay::SegmentFigures& figures) {
  std::string text = std::to_string(figures.segment_count);
  if (figures.expandable_count > 0)
    text += " (" + std::to_string(figures.expandable_count) + " expandable)";
  add_line(lines, "segments", text + ", " + format_bytes(figures.reserved) + " reserved");
  add_line(lines, "blocks",
           std::to_string(figures.block_count) + ", " + std::to_string(figures.active_block_count) +
               " of them active with " + format_bytes(figures.active) + ", " +
               format_bytes(figures.requested) + " of it requested");
}

std::string device_lines(const DeviceSummary& device) {
  std::string lines;
  add_events(lines, device);
  add_line(lines, "history",
           std::string(history_kind_name(device.history)) + ". " + device.history_reason);
  add_segments(lines, device.segments);
  if (device.peak_requested)
    add_line(lines, "peak requested", format_bytes(*device.peak_requested) + ", from the events");
  if (device.peak_reserved)
    add_line(lines, "peak reserved", format_bytes(*device.peak_reserved) + ", from the events");
  if (device.least_device_memory)
    add_line(lines, "device memory",
             "at least " + format_bytes(*device.least_device_memory) +
                 " (reserved and free at an out-of-memory event)");
  add_line(lines, "streams", listed(device.streams, stream_name));
  if (!device.pools.empty())
    add_line(lines, "pools", listed(device.pools, [](PoolId pool) { return name_of(pool); }));
  return lines;
}

std::string device_text(const DeviceSummary& device) {
  return "device " + std::to_string(device.device) + "\n" + device_lines(device);
}

/// Blocks are handed out whole, so each is a segment.
std::string host_text(const DeviceSummary& host) {
  std::string lines;
  add_events(lines, host);
  const replay::SegmentFigures& figures = host.segments;
  add_line(lines, "blocks",
           std::to_string(figures.block_count) + ", " + format_bytes(figures.reserved) +
               " pinned; " + std::to_string(figures.active_block_count) + " of them active with " +
               format_bytes(figures.active));
  // Recordings have the sizes of such blocks, not of requests.
  if (host.peak_in_use)
    add_line(lines, "peak allocated", format_bytes(*host.peak_in_use) + ", from the events");
  if (host.peak_requested)
    add_line(lines, "peak active", format_bytes(*host.peak_requested) + ", from the events");
  if (host.peak_reserved)
    add_line(lines, "peak pinned", format_bytes(*host.peak_reserved) + ", from the events");
  return "pinned host memory\n" + lines;
}

/// A list of divisions by size is written as in the option, `[256:4,512:0]`, and is empty if all
/// are 0. Other values stay as they are.
std::string divisions_text(const std::string& name, const std::string& value) {
  if (name != "roundup_power2_divisions" || !value.starts_with("{")) return value;
  std::string list = "[";
  for (const char letter : value.substr(1, value.size() - 2))
    if (letter != '\'' && letter != '"' && letter != ' ') list += letter;
  const auto some = std::ranges::adjacent_find(
      list, [](char before, char digit) { return before == ':' && digit >= '1' && digit <= '9'; });
  return some != list.end() ? list + "]" : "";
}

std::string settings_text(const replay::RecordingSummary& summary) {
  if (!summary.has_settings) return "";
  std::string text = "settings\n";
  std::string lines;
  for (const auto& [name, value] : summary.settings)
    if (const std::string shown = divisions_text(name, value); !shown.empty())
      add_line(lines, shown_name(name), shown);
  return text + lines;
}

std::string joined(const std::vector<std::string>& items, const char* separator) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : separator) + item;
  return text;
}

/// Such as `zip, gzip`, the innermost one first, as the bytes came to be.
std::string packing_names(const std::vector<traces::Packing>& packings) {
  std::vector<std::string> names;
  for (const traces::Packing packing : packings)
    names.emplace(names.begin(), traces::packing_name(packing));
  return joined(names, ", ");
}

std::string packings_text(const std::vector<traces::Packing>& packings) {
  std::string text;
  for (const traces::Packing packing : packings) {
    const bool is_zip = packing == traces::Packing::zip;
    const bool is_page = packing == traces::Packing::viewer_page;
    const std::string_view name = traces::packing_name(packing);
    text.insert(0, is_zip    ? ", in a zip archive"
                   : is_page ? ", in a page of _memory_viz"
                             : ", in " + std::string(name));
  }
  return text;
}

ordered_json segments_json(const replay::SegmentFigures& figures) {
  return {{"count", figures.segment_count},
          {"expandable", figures.expandable_count},
          {"reserved_bytes", figures.reserved.count},
          {"allocated_bytes", figures.allocated.count},
          {"active_bytes", figures.active.count},
          {"requested_bytes", figures.requested.count},
          {"blocks", figures.block_count},
          {"active_blocks", figures.active_block_count}};
}

ordered_json device_json(const DeviceSummary& device) {
  ordered_json actions = ordered_json::object();
  for (const replay::ActionCount& action : device.actions) actions[action.action] = action.count;
  const auto time_us = [&](std::uint64_t replay::TimeSpan::* end) {
    return or_null(device.time, [end](const replay::TimeSpan& time) { return time.*end; });
  };
  const auto stream_json = [](StreamId stream) { return stream.value; };
  const auto pool_json = [](PoolId pool) { return ordered_json::array({pool.graph, pool.user}); };
  return {{"device", device.device},
          {"events", device.event_count},
          {"events_by_action", actions},
          {"first_time_us", time_us(&replay::TimeSpan::first_us)},
          {"last_time_us", time_us(&replay::TimeSpan::last_us)},
          {"history", std::string(history_kind_name(device.history))},
          {"history_reason", device.history_reason},
          {"segments", segments_json(device.segments)},
          {"peak_requested_bytes", or_null(device.peak_requested)},
          {"peak_reserved_bytes", or_null(device.peak_reserved)},
          {"least_device_memory_bytes", or_null(device.least_device_memory)},
          {"streams", json_list(device.streams, stream_json)},
          {"pools", json_list(device.pools, pool_json)}};
}

/// Recordings have the sizes of pinned blocks, not of requests.
ordered_json host_json(const DeviceSummary& host) {
  ordered_json json = device_json(host);
  json.erase("peak_requested_bytes");
  json["peak_allocated_bytes"] = or_null(host.peak_in_use);
  json["peak_active_bytes"] = or_null(host.peak_requested);
  return json;
}

ordered_json outcome_json(const InfoOutcome& outcome) {
  const replay::RecordingSummary& summary = outcome.summary;
  ordered_json settings = nullptr;
  if (summary.has_settings) {
    settings = ordered_json::object();
    for (const auto& [name, value] : summary.settings) settings[name] = value;
  }
  return {{"file", outcome.file},
          {"format", outcome.format},
          {"packing", packing_names(outcome.packings)},
          {"encoding", outcome.encoding},
          {"bytes", outcome.bytes},
          {"bare_list", summary.is_bare_list},
          {"version", summary.version.versions},
          {"version_reason", summary.version.reason},
          {"devices", json_list(summary.devices, device_json)},
          {"host", or_null(outcome.host, host_json)},
          {"settings", settings},
          {"annotations", summary.annotation_count},
          {"ring_overflowed", summary.ring_overflowed},
          {"texts", summary.text_count},
          {"frames", summary.frame_count},
          {"stacks", summary.stack_count},
          {"unknown_keys", summary.unknown_keys},
          {"unknown_actions", summary.unknown_actions},
          {"unknown_states", summary.unknown_states},
          {"signs_of_synthesis", summary.signs_of_synthesis},
          {"program", or_null(outcome.program, program_json)},
          {"log", or_null(outcome.log, log_json)},
          {"timeline", or_null(outcome.timeline, memory_timeline_json)},
          {"test", text_or_null(outcome.test)}};
}

std::string writer_text(const replay::VersionGuess& guess) {
  if (guess.versions == "unknown") return "an unknown version of PyTorch: " + guess.reason;
  if (guess.certainty == replay::Certainty::told)
    return "PyTorch " + guess.versions + " (" + guess.reason + ")";
  return "PyTorch " + guess.versions + " (guessed: " + guess.reason + ")";
}

std::string info_text(const InfoOutcome& outcome) {
  const replay::RecordingSummary& summary = outcome.summary;
  std::string lines;
  add_line(lines, "format",
           outcome.format + (summary.is_bare_list ? ", a list of segments" : "") +
               packings_text(outcome.packings));
  add_line(lines, "encoding", outcome.encoding + ", " + format_bytes({outcome.bytes}));
  if (outcome.timeline)
    return outcome.file + "\n" + lines + memory_timeline_text(*outcome.timeline);
  if (!summary.devices.empty() || !outcome.program)
    add_line(lines, "written by", writer_text(summary.version));
  add_line(lines, "stacks",
           std::to_string(summary.stack_count) + " different, made of " +
               std::to_string(summary.frame_count) + " frames");
  if (summary.annotation_count > 0)
    add_line(lines, "annotations", std::to_string(summary.annotation_count));
  add_known(lines, "test", outcome.test);
  if (!summary.unknown_keys.empty())
    add_line(lines, "unknown keys", joined(summary.unknown_keys, ", "));
  if (!summary.unknown_actions.empty())
    add_line(lines, "unknown actions",
             joined(summary.unknown_actions, ", ") + "; a replay leaves these events out");
  if (!summary.unknown_states.empty())
    add_line(lines, "unknown states",
             joined(summary.unknown_states, ", ") + "; such blocks count as free");
  if (!summary.signs_of_synthesis.empty())
    add_line(lines, "made by a script?", joined(summary.signs_of_synthesis, "; "));
  std::string text = shown_name(outcome.file) + "\n" + lines;
  if (outcome.program) text += program_text(*outcome.program);
  if (outcome.log) text += log_text(*outcome.log);
  for (const DeviceSummary& device : summary.devices) text += device_text(device);
  if (outcome.host) text += host_text(*outcome.host);
  return text + settings_text(summary);
}

/// One document over all files, with a line break at its end.
std::string info_json(const std::vector<InfoOutcome>& outcomes) {
  return json_text({{"schema_version", 2}, {"files", json_list(outcomes, outcome_json)}});
}

struct InfoArguments {
  std::vector<std::string> files;
  CommonFlags flags;
};

/// The key under which the plug-in for pytest names the test.
constexpr std::string_view test_key = "vramlab_test";

/// Counts the sections of pinned host memory, too, like those of a device.
class SummarizerOfAll final : public replay::RecordingSummarizer {
 public:
  explicit SummarizerOfAll(traces::SnapshotTables& tables)
      : RecordingSummarizer(tables),
        tables_(tables),
        host_(tables),
        view_(tables, {host_, none_}) {}

  void unknown_section(traces::TextId key, const traces::GenericPointer& value) override {
    RecordingSummarizer::unknown_section(key, value);
    const std::string_view name = tables_.texts.text(key);
    if (name == traces::host_segments_key || name == traces::host_traces_key)
      view_.unknown_section(key, value);
    const auto* const text = std::get_if<traces::TextId>(&value->content);
    if (name == test_key && text != nullptr) test_ = tables_.texts.text(*text);
  }
  const std::string& test() const { return test_; }
  /// The totals of the sections; empty if the file has none.
  std::optional<replay::DeviceSummary> host() const {
    const replay::RecordingSummary summary = host_.finish();
    if (summary.devices.empty()) return std::nullopt;
    return summary.devices.front();
  }

 private:
  traces::SnapshotTables& tables_;
  traces::ProgramCounter none_;
  std::string test_;
  replay::RecordingSummarizer host_;
  traces::HostRecording view_;
};

std::string encoding_text(const traces::SnapshotFacts& snapshot, traces::TraceFormat format) {
  if (!snapshot.pickle) return format == traces::TraceFormat::native_binary ? "binary" : "text";
  const traces::PickleFacts& facts = *snapshot.pickle;
  const char* producer = facts.producer == traces::PickleProducer::python
                             ? "written by Python"
                             : "written by PyTorch's C++ pickler";
  return "protocol " + std::to_string(facts.protocol) + ", " + producer;
}

InfoOutcome look_at(const std::string& path, ProgressBar& bar) {
  traces::OpenTrace trace = open_input(path, bar.listener());
  InfoOutcome outcome;
  outcome.file = trace.file;
  outcome.format = trace_format_name(trace.format);
  outcome.packings = trace.packings;
  if (trace.format == traces::TraceFormat::memory_timeline) {
    outcome.timeline = traces::read_memory_timeline(*trace.source, trace.file);
    outcome.encoding = outcome.timeline->is_raw ? "text, raw events" : "text";
    outcome.bytes = outcome.timeline->text_bytes;
    return outcome;
  }
  traces::SnapshotTables tables;
  SummarizerOfAll summarizer(tables);
  traces::ProgramCounter program;
  const traces::SnapshotFacts facts = traces::read_trace(trace, tables, {summarizer, program});
  outcome.encoding = encoding_text(facts, trace.format);
  outcome.bytes = facts.bytes;
  outcome.summary = summarizer.finish();
  outcome.host = summarizer.host();
  outcome.test = summarizer.test();
  std::erase_if(outcome.summary.unknown_keys, [](const std::string& key) {
    return key == traces::host_segments_key || key == traces::host_traces_key || key == test_key;
  });
  if (holds_programs(trace.format)) outcome.program = program.summary();
  outcome.log = facts.log;
  return outcome;
}

ExitStatus info(const InfoArguments& arguments) {
  if (arguments.files.size() > 1 && !arguments.flags.json) {
    const FoundRecordings found = look_at_recordings(arguments.files, arguments.flags);
    print(recordings_text(found.rows, ""));
    return tell_refused(found.refused);
  }
  const auto found = answer_each_file<InfoOutcome>(
      arguments.files, arguments.flags, usual_thread_count(),
      [&](std::size_t i, ProgressBar& bar) { return look_at(arguments.files[i], bar); });
  print(arguments.flags.json ? info_json(found.answers) : info_text(found.answers.front()));
  return tell_refused(found.refused);
}

void add_options(CLI::App& command, InfoArguments& arguments) {
  add_file(command, arguments.files,
           "PyTorch memory snapshots (pickle, JSON, torch.save, a page of _memory_viz), native "
           "traces, torch profiler traces, memory timelines of the profiler, RMM or BFC logs (also "
           ".gz, .zst, .zip; - is standard input)");
}

}  // namespace

Command info_command() {
  return {"info", "Show what is in a recording: origin, devices, events, segments, settings",
          "Example: vramlab info snapshot.pickle", with<InfoArguments>(add_options, info)};
}

}  // namespace vramlab::tools
