// `vramlab record`: runs a CUDA program and records its allocations.
#include <unistd.h>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/kit/preloaded_program.h"
#include "tools/cli/printers/shown_text.h"
#include "tools/preload/names/file_names.h"
#include "traces/formats/open_trace.h"
#include "traces/formats/trace_formats.h"
#include "traces/io/byte_sink.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

struct RecordArguments {
  std::string output;
  std::string format;
  bool has_stacks = false;
  bool may_overwrite = false;
  std::vector<std::string> program;
  CommonFlags flags;
};

/// While the program runs.
struct PartFiles {
  std::filesystem::path folder;
  /// The part of their names that follows the output's name.
  std::string mark;
};

/// Checked before the program runs for hours.
void check_output(const RecordArguments& arguments) {
  refuse_standard_output(arguments.output, "the program's own");
  const auto wish = std::filesystem::absolute(arguments.output);
  const auto path = wish.parent_path() /
                    names::expanded_name(wish.filename().string(), names::facts_of_this_process());
  if (!std::filesystem::is_directory(path.parent_path()))
    throw traces::InputError({arguments.output, "", "a folder to write to", "none"});
  if (!arguments.may_overwrite && std::filesystem::exists(path))
    throw traces::InputError(
        {arguments.output, "", "a new file (or --force)", "one that is there already"});
}

/// The program's exit status; if that is 0 and recording failed, our own.
ExitStatus finish(const RecordArguments& arguments, const FinishedRecordings& to,
                  const PartFiles& files, const ProgramEnd& end) {
  try {
    const auto names =
        finish_recordings(recording_parts(files.folder, files.mark), end.process, to);
    if (names.empty())
      tell(
          "vramlab: nothing was recorded: the program requested no memory through the CUDA "
          "driver\n");
    if (!arguments.flags.quiet)
      for (const std::string& name : names) tell("vramlab: recorded in " + shown_name(name) + "\n");
    return static_cast<ExitStatus>(end.status);
  } catch (const std::exception& error) {
    tell("vramlab: the recording stays unfinished at " +
         shown_name(files.folder.string() + "/*" + files.mark + ".*: " + error.what()) + "\n");
    return end.status == 0 ? ExitStatus::bad_input : static_cast<ExitStatus>(end.status);
  }
}

ExitStatus record(const RecordArguments& arguments) {
  const FinishedRecordings to{
      traces::output_format(arguments.output, arguments.format, traces::native_formats),
      arguments.may_overwrite ? traces::Overwrite::allowed : traces::Overwrite::refused};
  check_output(arguments);
  const std::filesystem::path wish = std::filesystem::absolute(arguments.output);
  const PartFiles files{wish.parent_path(), ".part-" + std::to_string(getpid())};
  const std::string pattern =
      names::literal_name(files.folder.string()) + "/" + wish.filename().string() + files.mark;
  PreloadedProgram program{arguments.program,
                           {{"VRAMLAB_SHIM", "record"}, {"VRAMLAB_RECORD", pattern}},
                           {preload_library()}};
  program.variables.emplace_back("VRAMLAB_RECORD_STACKS", arguments.has_stacks ? "1" : "0");
  return finish(arguments, to, files, run_preloaded(program));
}

void add_options(CLI::App& command, RecordArguments& arguments) {
  command
      .add_option(
          "-o,--output", arguments.output,
          "The native trace to write. In its name, %p is the number of the process, %h the host, "
          "%q{RANK} a variable")
      ->required();
  command
      .add_option("--format", arguments.format,
                  traces::listed(traces::format_options(traces::native_formats)) +
                      "; without it, the output's ending says")
      ->check(CLI::IsMember(traces::format_options(traces::native_formats)));
  command.add_flag("--stacks", arguments.has_stacks, "Record the stack of each call");
  command.add_flag("--force", arguments.may_overwrite, "Overwrite the output");
  command.add_option("PROGRAM", arguments.program, "The program and its arguments, after --")
      ->required();
  add_common_flags(command, arguments.flags);
  command.get_option("--json")->description("Ignored: the output is the file");
}

}  // namespace

Command record_command() {
  return {"record", "Run a CUDA program, record its allocations, and end with its exit status",
          "Example: vramlab record -o train.vtrace -- ./train --steps 10",
          with<RecordArguments>(add_options, record)};
}

}  // namespace vramlab::tools
