// `vramlab streams`: what streams do and cost. A program's streams are simulated; of a recording,
// which does not say what ran when, there is the memory that was given back and could not be used
// yet, because work on other streams had to be waited for.
#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "allocator/types/check.h"
#include "replay/replayer/device_replay.h"
#include "replay/replayer/replayer.h"
#include "replay/stream_waits/stream_simulation.h"
#include "tools/cli/commands/streams/hazard_text.h"
#include "tools/cli/commands/streams/stream_report.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/input_files.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/kit/progress_bar.h"
#include "tools/cli/printers/json_text.h"
#include "traces/formats/trace_formats.h"
#include "traces/io/byte_sink.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

using streams::ItemKind;

/// What streams did as a trace that ui.perfetto.dev shows: a track for each stream, arrows from the
/// records of events to those who waited for them, curves of memory, and marks where hazards are.
/// It is written as things end.
class StreamPicture {
 public:
  /// Both must outlive it.
  StreamPicture(traces::ByteSink& sink, const traces::SnapshotTables& tables);

  void add(const replay::FinishedItem& finished);
  /// After each event of the program.
  void add_moment(const replay::DeviceReplay& device, streams::Time now);
  void finish(const replay::StreamReport& report);

 private:
  struct Place {
    streams::StreamAt stream;
    streams::Time at;
  };

  std::uint64_t track_of(streams::StreamAt stream);
  void event(const std::string& members);
  void arrow(const Place& from, const Place& to);
  static std::string at_text(std::uint64_t track, std::uint32_t device, streams::Time at);

  traces::ByteSink& sink_;
  const traces::SnapshotTables& tables_;
  std::map<streams::StreamAt, std::uint64_t> tracks_;
  /// When each event of the program was called.
  std::vector<streams::Time> called_;
  std::map<traces::DeviceIndex, std::string> last_figures_;
  std::uint64_t arrow_count_ = 0;
  bool is_first_ = true;
};

/// Microseconds, to the nanosecond.
std::string microseconds(std::uint64_t time_ns) {
  constexpr std::uint64_t ns_of_a_us = 1000;
  std::string rest = std::to_string(time_ns % ns_of_a_us);
  rest.insert(0, 3 - rest.size(), '0');
  return std::to_string(time_ns / ns_of_a_us) + "." + rest;
}

StreamPicture::StreamPicture(traces::ByteSink& sink, const traces::SnapshotTables& tables)
    : sink_(sink), tables_(tables) {
  sink_.write(
      "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"written by\":\"vramlab\"},\"traceEvents\":[");
}

void StreamPicture::event(const std::string& members) {
  sink_.write(is_first_ ? "\n{" : ",\n{");
  sink_.write(members);
  sink_.write("}");
  is_first_ = false;
}

std::string StreamPicture::at_text(std::uint64_t track, std::uint32_t device, streams::Time at) {
  return "\"pid\":" + std::to_string(device) + ",\"tid\":" + std::to_string(track) +
         ",\"ts\":" + microseconds(at.ns);
}

/// Named when it is first met.
std::uint64_t StreamPicture::track_of(streams::StreamAt stream) {
  const auto [found, is_new] = tracks_.try_emplace(stream, tracks_.size() + 1);
  if (!is_new) return found->second;
  const std::string place = "\"pid\":" + std::to_string(stream.device) + ",\"tid\":";
  event("\"ph\":\"M\",\"name\":\"process_name\"," + place + "0,\"args\":{\"name\":\"device " +
        std::to_string(stream.device) + "\"}");
  event("\"ph\":\"M\",\"name\":\"thread_name\"," + place + std::to_string(found->second) +
        ",\"args\":{\"name\":\"stream " + std::to_string(stream.stream.value) + "\"}");
  return found->second;
}

void StreamPicture::add(const replay::FinishedItem& finished) {
  const streams::EndedItem& item = finished.item;
  if (item.kind == ItemKind::mark) return;
  const bool waits = item.kind == ItemKind::event_wait;
  const streams::Time begin = waits ? finished.could_begin : item.begin;
  event("\"ph\":\"X\"," + at_text(track_of(item.stream), item.stream.device, begin) +
        ",\"dur\":" + microseconds((item.end - begin).ns) +
        ",\"name\":" + compact_json_text(item_name(item.kind, finished.work)) +
        ",\"args\":{\"event\":" + std::to_string(item.tag) + "}");
  if (waits && finished.awaited && finished.awaited->at)
    arrow({finished.awaited->stream, *finished.awaited->at}, {item.stream, item.end});
}

void StreamPicture::arrow(const Place& from, const Place& to) {
  const std::string id =
      ",\"cat\":\"wait\",\"name\":\"event\",\"id\":" + std::to_string(++arrow_count_);
  event("\"ph\":\"s\"," + at_text(track_of(from.stream), from.stream.device, from.at) + id);
  event("\"ph\":\"f\",\"bp\":\"e\"," + at_text(track_of(to.stream), to.stream.device, to.at) + id);
}

void StreamPicture::add_moment(const replay::DeviceReplay& device, streams::Time now) {
  called_.push_back(now);
  const StatisticValues values = device.statistics();
  const auto waiting = values.active_bytes.all.current - values.allocated_bytes.all.current;
  const std::string figures =
      "\"allocated\":" + std::to_string(values.allocated_bytes.all.current) +
      ",\"waiting\":" + std::to_string(waiting) +
      ",\"reserved\":" + std::to_string(values.reserved_bytes.all.current);
  std::string& last = last_figures_[device.device()];
  if (figures == last) return;
  last = figures;
  event("\"ph\":\"C\",\"name\":\"memory\"," + at_text(0, device.device().value, now) +
        ",\"args\":{" + figures + "}");
}

void StreamPicture::finish(const replay::StreamReport& report) {
  const HazardContext context{report, tables_};
  for (const streams::Hazard& hazard : report.hazards) {
    const streams::HazardSide& side = hazard.second;
    const streams::Time at =
        side.tag < called_.size() ? called_[as_index(side.tag)] : streams::Time{};
    event("\"ph\":\"i\",\"s\":\"t\"," + at_text(track_of(side.stream), side.stream.device, at) +
          ",\"name\":" + compact_json_text("hazard: " + std::string(hazard_title(hazard.kind))) +
          ",\"args\":{\"first\":" + compact_json_text(side_text(hazard.first, context)) +
          ",\"second\":" + compact_json_text(side_text(side, context)) +
          ",\"fix\":" + compact_json_text(fix_text(hazard, context)) + "}");
  }
  sink_.write("\n]}\n");
}

struct StreamsCommand {
  std::string file;
  std::string reference;
  std::string format = "text";
  OutputArguments output;
  std::uint64_t shown = 10;
  std::uint64_t latency_ns = 0;
  std::uint64_t call_ns = 0;
  streams::ConcurrencyLimits limits;
  bool leaves_hazards_out = false;
  bool fails_on_findings = false;
  CommonFlags flags;

  std::string wanted_format() const { return flags.json ? "json" : format; }
};

const ReferenceVersion* version_of(const StreamsCommand& command) {
  return command.reference.empty() ? nullptr : allocator::find_reference_version(command.reference);
}

replay::StreamConditions conditions_of(const StreamsCommand& command) {
  replay::StreamConditions conditions;
  conditions.replay.version = version_of(command);
  conditions.replay.stream_model = {{command.latency_ns}, {command.call_ns}, command.limits};
  conditions.finds_hazards = !command.leaves_hazards_out;
  return conditions;
}

/// What was looked for was found: a hazard, a refused call, an endless wait.
enum class Findings : std::uint8_t { none, some };

void write_recording(const StreamsCommand& command, const WaitingOutcome& outcome,
                     traces::ByteSink& sink) {
  sink.write(command.wanted_format() == "json" ? waiting_json(outcome) : waiting_text(outcome));
}

/// The program once more, with frees that never wait, where some did.
std::optional<replay::ReplayReport> replay_at_once(replay::Recording& recording,
                                                   const StreamsCommand& command,
                                                   const replay::StreamReport& report) {
  const bool has_waited = std::ranges::any_of(
      report.frees, [](const replay::DeviceFrees& device) { return device.cost.totals.count > 0; });
  if (!has_waited) return std::nullopt;
  replay::ReplayConditions conditions = conditions_of(command).replay;
  conditions.timing = replay::FreeTiming::eager;
  return replay::Replayer(recording).run(conditions);
}

Findings write_program(const StreamsCommand& command, const StreamOutcome& outcome,
                       const traces::SnapshotTables& tables, traces::ByteSink& sink) {
  sink.write(command.wanted_format() == "json" ? stream_json(outcome, tables)
                                               : stream_text(outcome, tables));
  return outcome.report.has_findings() ? Findings::some : Findings::none;
}

Findings draw_program(const StreamsCommand& command, replay::Recording& recording,
                      traces::ByteSink& sink) {
  if (!recording.is_program())
    throw traces::InputError({recording.file(), "",
                              "a program whose streams can be simulated (vramlab convert draws the "
                              "memory of a recording)",
                              "a recording, which does not say what ran when"});
  StreamPicture picture(sink, recording.tables());
  replay::StreamSimulation simulation(
      recording.file(), recording.tables(), conditions_of(command),
      {[&picture](const replay::FinishedItem& finished) { picture.add(finished); },
       [&picture](const replay::DeviceReplay& device, streams::Time now) {
         picture.add_moment(device, now);
       }});
  recording.pass_program(simulation);
  const replay::StreamReport report = simulation.finish();
  picture.finish(report);
  return report.has_findings() ? Findings::some : Findings::none;
}

Findings simulate_program(const StreamsCommand& command, replay::Recording& recording,
                          traces::ByteSink& sink) {
  replay::StreamSimulation simulation(recording.file(), recording.tables(), conditions_of(command),
                                      {});
  recording.pass_program(simulation);
  StreamOutcome outcome{recording.file(), simulation.finish(), std::nullopt, command.shown};
  outcome.at_once = replay_at_once(recording, command, outcome.report);
  return write_program(command, outcome, recording.tables(), sink);
}

Findings write_answer(const StreamsCommand& command, traces::ByteSink& sink) {
  ProgressBar bar(command.file, command.flags);
  const bool is_drawn = command.wanted_format() == "perfetto";
  const auto passes = is_drawn ? replay::Passes::one : replay::Passes::many;
  const std::unique_ptr<replay::Recording> recording =
      open_recording(command.file, bar.listener(), {version_of(command), {}, passes});
  if (is_drawn) return draw_program(command, *recording, sink);
  if (recording->is_program()) return simulate_program(command, *recording, sink);
  write_recording(command, {recording->file(), find_waiting(*recording), command.shown}, sink);
  return Findings::none;
}

ExitStatus show_streams(const StreamsCommand& command) {
  OpenOutput output(command.output);
  const Findings findings = write_answer(command, output);
  output.finish();
  return command.fails_on_findings && findings == Findings::some ? ExitStatus::answer_is_no
                                                                 : ExitStatus::done;
}

void add_model(CLI::App& command, StreamsCommand& arguments) {
  command
      .add_option("--launch-latency", arguments.latency_ns,
                  "From a call until what it launches can begin, such as 5us (default: nothing)")
      ->transform(time_in_nanoseconds());
  command
      .add_option("--call-time", arguments.call_ns,
                  "What each call costs its host thread, such as 2us (default: nothing)")
      ->transform(time_in_nanoseconds());
  command.add_option("--kernels", arguments.limits.kernels,
                     "Kernels that run at once on a device (default: 0, any number)");
  command
      .add_option("--copy-engines", arguments.limits.copy_engines,
                  "1: copies in both directions take turns; 2: one each way (default: 0, any)")
      ->check(CLI::Range(0, 2));
  command.add_option("--host-functions", arguments.limits.host_functions,
                     "Host functions that run at once (default: 0, any number)");
  command.add_option("--hardware-queues", arguments.limits.hardware_queues,
                     "Queues that streams share, with false dependencies (default: 0, none)");
}

void add_outputs(CLI::App& command, StreamsCommand& arguments) {
  command.add_option("--format", arguments.format, "text, json or perfetto (default: text)")
      ->check(CLI::IsMember({"text", "json", "perfetto"}));
  add_output(command, arguments.output, "Write there instead of standard output");
  add_force(command, arguments.output);
  command.add_option("--top", arguments.shown,
                     "Streams, hazards and call sites to show, at most (default: 10; 0 for all)");
  command.add_flag("--no-hazards", arguments.leaves_hazards_out, "Don't look for hazards");
  command.add_flag("--fail-on-findings", arguments.fails_on_findings,
                   "Exit with 1 on a hazard, a refused call or a deadlock");
}

void add_options(CLI::App& command, StreamsCommand& arguments) {
  add_file(command, arguments.file,
           "A native trace of a program, or a PyTorch memory snapshot (also .gz, .zst; - is "
           "standard input)");
  add_reference(command, arguments.reference, "default: from the file");
  add_model(command, arguments);
  add_outputs(command, arguments);
}

}  // namespace

Command streams_command() {
  return {"streams",
          "Find hazards and deadlocks in a program's streams, or show the cost of waiting frees",
          "Example: vramlab streams traces/samples/missing_record_stream.vtrace.jsonl",
          with<StreamsCommand>(add_options, show_streams)};
}

}  // namespace vramlab::tools
