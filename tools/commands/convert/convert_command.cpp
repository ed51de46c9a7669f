// `vramlab convert`: a recording in another format.
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string_view>

#include "tools/commands/convert/convert_perfetto.h"
#include "tools/kit/commands.h"
#include "tools/kit/progress_bar.h"
#include "tools/kit/table_output.h"
#include "traces/files/input_error.h"
#include "traces/files/output_file.h"
#include "traces/formats/trace_formats.h"

namespace vramlab::tools {
namespace {

struct ConvertArguments {
  std::string input;
  std::string output;
  std::string format;
  ConvertSteps steps;
  std::optional<std::uint64_t> stream;
  bool may_overwrite = false;
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
  const std::string_view path = arguments.output;
  const bool has_perfetto_ending = path.ends_with(".perfetto.json") || path.ends_with(".perfetto");
  if (arguments.format.empty() ? has_perfetto_ending : arguments.format == perfetto)
    return std::nullopt;
  const auto format = traces::find_format(path, arguments.format, traces::written_formats());
  if (format) return format;
  const auto endings =
      with_word(traces::format_endings(traces::written_formats()), ".perfetto.json");
  traces::refuse_file(arguments.output,
                      "a name that ends in " + traces::listed(endings) + " (or --format)",
                      "another ending");
}

ConvertSteps steps_of(const ConvertArguments& arguments) {
  ConvertSteps steps = arguments.steps;
  if (arguments.stream) steps.filter.stream = allocator::StreamId{*arguments.stream};
  return steps;
}

void convert_to(traces::TraceFormat format, traces::OpenTrace& trace, const ConvertSteps& steps,
                traces::ByteSink& output) {
  traces::SnapshotTables tables;
  const auto writer = make_trace_writer(format, output, tables);
  ConvertChain chain(steps, tables, writer->sinks());
  traces::read_trace(trace, tables, chain.sinks());
  writer->finish();
}

ExitStatus convert(const ConvertArguments& arguments) {
  const auto format = output_format(arguments);
  if (!format) check_perfetto_steps(steps_of(arguments));
  ProgressBar bar(arguments.input, arguments.flags);
  traces::OpenTrace trace = traces::open_trace(arguments.input, bar.listener());
  RemovalOnInterrupt removal;
  traces::OutputFile output(arguments.output, arguments.may_overwrite ? traces::Overwrite::allowed
                                                                      : traces::Overwrite::refused);
  removal.begin({output.temporary_path()});
  if (format)
    convert_to(*format, trace, steps_of(arguments), output);
  else
    convert_to_perfetto(trace, steps_of(arguments), output);
  output.finish();
  return ExitStatus::done;
}

void add_filters(CLI::App& command, ConvertArguments& arguments) {
  const std::map<std::string, std::uint64_t> units = {
      {"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}};
  const auto as_time = CLI::AsNumberWithUnit(units, CLI::AsNumberWithUnit::UNIT_REQUIRED, "TIME");
  traces::RecordFilter& filter = arguments.steps.filter;
  command.add_option("--from", filter.from_ns, "Only events from then on, such as 10us or 3s")
      ->transform(as_time);
  command.add_option("--to", filter.to_ns, "Only events before then, counted from the first one")
      ->transform(as_time);
  command.add_option("--device", filter.device, "Only what belongs to this device");
  command.add_option("--stream", arguments.stream, "Only what belongs to this stream");
}

void add_options(CLI::App& command, ConvertArguments& arguments) {
  command
      .add_option(
          "IN", arguments.input,
          "A PyTorch memory snapshot (pickle or JSON), a native trace, a torch profiler trace "
          "or an RMM log (also .gz, .zst; - is standard input)")
      ->required();
  command.add_option("-o,--output", arguments.output, "The file to write")->required();
  command
      .add_option("--format", arguments.format,
                  traces::listed(format_names()) + "; without it, the output's ending says")
      ->check(CLI::IsMember(format_names()));
  command.add_flag("--strip-frames", arguments.steps.strips_frames, "Leave out all stacks");
  command.add_flag("--anonymize", arguments.steps.anonymizes,
                   "Replace the names of functions, paths, annotations and other texts");
  add_filters(command, arguments);
  command.add_flag("--force", arguments.may_overwrite, "Overwrite the output");
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
