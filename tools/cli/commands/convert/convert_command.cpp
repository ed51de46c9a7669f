// `vramlab convert`: writes a recording in another format.
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "replay/recording/history_checks.h"
#include "replay/replayer/program_replay.h"
#include "replay/timeline/perfetto_timeline.h"
#include "replay/timeline/replayed_program.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/input_files.h"
#include "tools/cli/kit/logging.h"
#include "tools/cli/kit/messages.h"
#include "tools/cli/kit/outputs.h"
#include "traces/filters/anonymized.h"
#include "traces/filters/record_filter.h"
#include "traces/formats/trace_formats.h"
#include "traces/io/byte_sink.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

struct ConvertSteps {
  traces::RecordFilter filter;
  bool strips_frames = false;
  bool anonymizes = false;
};

bool leaves_out(const traces::RecordFilter& filter) {
  return filter.from_ns || filter.to_ns || filter.device || filter.stream;
}

/// A chain of filters: leaves parts out, removes stacks and replaces names, in this order.
class ConvertChain {
 public:
  /// The tables are those of the reader; they and the sinks at the end must live as long.
  ConvertChain(const ConvertSteps& steps, const std::string& file, traces::SnapshotTables& tables,
               traces::NativeSinks end)
      : end_(end) {
    if (steps.anonymizes)
      filters_.push_back(std::make_unique<traces::AnonymizedRecording>(tables, sinks()));
    if (steps.strips_frames) filters_.push_back(std::make_unique<traces::StrippedFrames>(sinks()));
    if (leaves_out(steps.filter))
      filters_.push_back(
          std::make_unique<traces::FilteredRecording>(steps.filter, file, tables.texts, sinks()));
  }

  /// The sinks that the reader writes to.
  traces::NativeSinks sinks() { return filters_.empty() ? end_ : filters_.back()->sinks(); }

 private:
  traces::NativeSinks end_;
  /// Last first.
  std::vector<std::unique_ptr<traces::PassingSinks>> filters_;
};

/// `walk` gives the walk through the history, which must have no impossible part.
template <class Walk>
replay::MemoryTimeline timeline_of(const replay::DeviceHistory& device, const Walk& walk,
                                   const std::string& file) {
  const std::string place = "device " + std::to_string(device.device);
  if (std::string reason = impossible_part(device); !reason.empty())
    throw traces::InputError({file, place, "a history that an allocator can have", reason});
  replay::MemoryTimeline timeline = find_timeline(device, walk(device));
  for (const std::string& doubt : timeline.doubts) log_warning(file + ", " + place + ": " + doubt);
  return timeline;
}

bool has_something(const replay::DeviceHistory& device) {
  return !device.events.empty() || !device.final_segments.empty();
}

/// Throws InputError if a step would remove parts of a history that the curves need.
void check_perfetto_steps(const ConvertSteps& steps) {
  const traces::RecordFilter& filter = steps.filter;
  if (filter.from_ns || filter.to_ns || filter.stream)
    throw traces::InputError({"a Perfetto trace", "",
                              "a whole history, without --from, --to and --stream (the viewer can "
                              "zoom)",
                              "one of them"});
}

/// The timelines of a program's replay, whose history says everything; adds its spans.
std::vector<replay::MemoryTimeline> timelines_of_program(traces::OpenTrace& trace,
                                                         const ConvertSteps& steps,
                                                         traces::SnapshotTables& tables,
                                                         replay::AnnotationCollector& spans) {
  replay::ReplayConditions replayed;
  replayed.scratch = scratch_place();
  replayed.on_out_of_memory = replay::OnOutOfMemory::skip;
  std::vector<replay::DeviceHistory> histories;
  replay::ProgramReplay program(trace.file, tables, keeping_all(replayed),
                                watch_for_picture(histories, spans));
  traces::SnapshotSink unused;
  ConvertChain chain(steps, trace.file, tables, {unused, program});
  traces::read_trace(trace, tables, chain.sinks());
  program.finish();
  const replay::VerifyConditions conditions{program.version(), false, {program.settings(), {}}};
  const auto walk = [&](const auto& device) { return walk_history(device, conditions); };
  std::vector<replay::MemoryTimeline> timelines;
  for (const replay::DeviceHistory& device : histories)
    if (has_something(device)) timelines.push_back(timeline_of(device, walk, trace.file));
  return timelines;
}

/// The timelines of a filtered recording; adds its spans.
std::vector<replay::MemoryTimeline> timelines_of_recording(
    traces::OpenTrace& trace, const ConvertSteps& steps,
    const std::shared_ptr<traces::SnapshotTables>& tables, replay::AnnotationCollector& spans) {
  replay::HistoryCollector collector(scratch_place());
  traces::ProgramCounter unused;
  ConvertChain chain(steps, trace.file, *tables, {collector, unused});
  traces::read_trace(trace, *tables, chain.sinks());
  replay::Recording recording(trace.file, collector.take(), tables);
  for (const replay::RecordedAnnotation& annotation : recording.history().annotations)
    spans.add(annotation);
  const auto walk = [&](const auto& device) -> const auto& { return recording.walk(device); };
  std::vector<replay::MemoryTimeline> timelines;
  for (const replay::DeviceHistory& device : recording.history().devices)
    if (has_something(device)) timelines.push_back(timeline_of(device, walk, trace.file));
  return timelines;
}

/// The picture is written when the whole input is read, because the blocks that were live at the
/// beginning are known only at the end. Warns if the curves may be wrong.
void convert_to_perfetto(traces::OpenTrace& trace, const ConvertSteps& steps,
                         traces::ByteSink& output) {
  const auto tables = std::make_shared<traces::SnapshotTables>();
  replay::AnnotationCollector spans;
  const std::vector<replay::MemoryTimeline> timelines =
      trace.kind == traces::TraceKind::program
          ? timelines_of_program(trace, steps, *tables, spans)
          : timelines_of_recording(trace, steps, tables, spans);
  traces::PerfettoWriter writer(output);
  write_perfetto(timelines, spans.spans(), tables->texts, writer);
  writer.finish();
}

struct ConvertArguments {
  std::string input;
  OutputArguments output;
  std::string format;
  ConvertSteps steps;
  std::optional<std::uint64_t> stream;
  CommonFlags flags;
};

/// A Perfetto trace is a picture of a recording: no format that can be read again.
constexpr std::string_view perfetto = "perfetto";

std::vector<std::string> with_word(std::vector<std::string> words, std::string_view word) {
  words.emplace_back(word);
  return words;
}

std::vector<std::string> format_names() {
  return with_word(traces::format_options(traces::written_formats()), perfetto);
}

/// Null for a Perfetto trace.
std::optional<traces::TraceFormat> output_format(const ConvertArguments& arguments) {
  const std::string_view path = arguments.output.path;
  const bool has_perfetto_ending = path.ends_with(".perfetto.json") || path.ends_with(".perfetto");
  if (arguments.format.empty() ? has_perfetto_ending : arguments.format == perfetto)
    return std::nullopt;
  const auto format = traces::find_format(path, arguments.format, traces::written_formats());
  if (format) return format;
  const auto endings =
      with_word(traces::format_endings(traces::written_formats()), ".perfetto.json");
  traces::refuse_file(arguments.output.path,
                      "a name that ends in " + traces::listed(endings) + " (or --format)",
                      "another ending");
}

ConvertSteps steps_of(const ConvertArguments& arguments) {
  ConvertSteps steps = arguments.steps;
  if (arguments.stream) steps.filter.stream = StreamId{*arguments.stream};
  return steps;
}

void convert_to(traces::TraceFormat format, traces::OpenTrace& trace, const ConvertSteps& steps,
                traces::ByteSink& output) {
  traces::SnapshotTables tables;
  const auto writer = make_trace_writer(format, output, tables);
  ConvertChain chain(steps, trace.file, tables, writer->sinks());
  traces::read_trace(trace, tables, chain.sinks());
  writer->finish();
}

ExitStatus convert(const ConvertArguments& arguments) {
  const auto format = output_format(arguments);
  if (!format) check_perfetto_steps(steps_of(arguments));
  ProgressBar bar(arguments.input, arguments.flags);
  traces::OpenTrace trace = open_input(arguments.input, bar.listener());
  OpenOutput output(arguments.output, {arguments.input});
  if (format)
    convert_to(*format, trace, steps_of(arguments), output);
  else
    convert_to_perfetto(trace, steps_of(arguments), output);
  output.finish();
  return ExitStatus::done;
}

void add_filters(CLI::App& command, ConvertArguments& arguments) {
  traces::RecordFilter& filter = arguments.steps.filter;
  command.add_option("--from", filter.from_ns, "Only events from then on, such as 10us or 3s")
      ->transform(time_in_nanoseconds());
  command.add_option("--to", filter.to_ns, "Only events before then, counted from the first one")
      ->transform(time_in_nanoseconds());
  command.add_option("--device", filter.device, "Only what belongs to this device");
  command.add_option("--stream", arguments.stream, "Only what belongs to this stream");
}

void add_options(CLI::App& command, ConvertArguments& arguments) {
  command
      .add_option(
          "IN", arguments.input,
          "A PyTorch memory snapshot (pickle or JSON), a native trace, a torch profiler trace, "
          "an RMM log or a BFC log (also .gz, .zst; - is standard input)")
      ->required();
  add_output(command, arguments.output, "The file to write (- is standard output, with --format)")
      ->required();
  command
      .add_option("--format", arguments.format,
                  traces::listed(format_names()) + "; without it, the output's ending says")
      ->check(CLI::IsMember(format_names()));
  command.add_flag("--strip-frames", arguments.steps.strips_frames, "Leave out all stacks");
  command.add_flag("--anonymize", arguments.steps.anonymizes,
                   "Replace the names of functions, paths, annotations and other texts");
  add_filters(command, arguments);
  add_force(command, arguments.output);
  add_common_flags(command, arguments.flags);
  command.get_option("--json")->description("Ignored: the output is the file");
}

}  // namespace

Command convert_command() {
  return {"convert",
          "Write a recording in another format, a part of it, or without stacks or names",
          "Example: vramlab convert snapshot.pickle -o snapshot.json",
          with<ConvertArguments>(add_options, convert)};
}

}  // namespace vramlab::tools
