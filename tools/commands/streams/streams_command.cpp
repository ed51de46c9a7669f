// `vramlab streams`: what streams do and cost. A program's streams are simulated; of a recording,
// which does not say what ran when, there is the memory that was given back and could not be used
// yet, because work on other streams had to be waited for.
#include <algorithm>

#include "replay/run/replay_source.h"
#include "tools/commands/streams/stream_perfetto.h"
#include "tools/commands/streams/stream_report.h"
#include "tools/kit/commands.h"
#include "tools/kit/outputs.h"
#include "tools/kit/progress_bar.h"
#include "traces/files/input_error.h"
#include "traces/formats/trace_formats.h"

namespace vramlab::tools {
namespace {

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

const allocator::ReferenceVersion* version_of(const StreamsCommand& command) {
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

/// The program once more, with frees that never wait, where some did and the file can be read
/// again.
std::optional<replay::ReplayReport> replay_at_once(const StreamsCommand& command,
                                                   const replay::StreamReport& report) {
  const bool has_waited = std::ranges::any_of(
      report.frees, [](const replay::DeviceFrees& device) { return device.cost.totals.count > 0; });
  if (!has_waited || command.file == "-") return std::nullopt;
  replay::ReplayConditions conditions = conditions_of(command).replay;
  conditions.timing = replay::FreeTiming::eager;
  return replay::ReplaySource(command.file, std::move(conditions), {}).run({});
}

Findings write_program(const StreamsCommand& command, const StreamOutcome& outcome,
                       const traces::SnapshotTables& tables, traces::ByteSink& sink) {
  sink.write(command.wanted_format() == "json" ? stream_json(outcome, tables)
                                               : stream_text(outcome, tables));
  return outcome.report.has_findings() ? Findings::some : Findings::none;
}

Findings draw_program(const StreamsCommand& command, traces::OpenTrace& trace,
                      traces::ByteSink& sink) {
  traces::SnapshotTables tables;
  traces::SnapshotSink recorded;
  StreamPicture picture(sink, tables);
  replay::StreamSimulation simulation(
      trace.file, tables, conditions_of(command),
      {[&picture](const replay::FinishedItem& finished) { picture.add(finished); },
       [&picture](const replay::DeviceReplay& device, streams::Time now) {
         picture.add_moment(device, now);
       }});
  traces::read_trace(trace, tables, {recorded, simulation});
  if (!simulation.has_events())
    throw traces::InputError({trace.file, "",
                              "a program whose streams can be simulated (vramlab convert draws the "
                              "memory of a recording)",
                              "a recording, which does not say what ran when"});
  const replay::StreamReport report = simulation.finish();
  picture.finish(report);
  return report.has_findings() ? Findings::some : Findings::none;
}

Findings write_answer(const StreamsCommand& command, traces::ByteSink& sink) {
  ProgressBar bar(command.file, command.flags);
  traces::OpenTrace trace = traces::open_trace(command.file, bar.listener());
  if (command.wanted_format() == "perfetto") return draw_program(command, trace, sink);
  traces::SnapshotTables tables;
  replay::HistoryCollector collector(scratch_place());
  replay::StreamSimulation simulation(trace.file, tables, conditions_of(command), {});
  traces::read_trace(trace, tables, {collector, simulation});
  if (simulation.has_events()) {
    StreamOutcome outcome{trace.file, simulation.finish(), std::nullopt, command.shown};
    outcome.at_once = replay_at_once(command, outcome.report);
    return write_program(command, outcome, tables, sink);
  }
  write_recording(
      command,
      {trace.file, find_waiting(trace.file, collector.take(), tables, version_of(command)),
       command.shown},
      sink);
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
