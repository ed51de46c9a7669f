// `vramlab record`: runs a CUDA program and records its allocations.
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>

#include "tools/commands/record/recording_parts.h"
#include "tools/kit/commands.h"
#include "tools/kit/preloaded_program.h"
#include "traces/files/input_error.h"

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

traces::TraceFormat format_of(const RecordArguments& arguments) {
  const bool is_binary_name =
      arguments.output.ends_with(".vtrace") && !arguments.output.ends_with(".vtrace.jsonl");
  if (arguments.format == "native-binary" || (arguments.format.empty() && is_binary_name))
    return traces::TraceFormat::native_binary;
  if (arguments.format == "native-text" || arguments.output.ends_with(".jsonl"))
    return traces::TraceFormat::native_text;
  throw traces::InputError({arguments.output, "",
                            "a name that ends in .vtrace or .jsonl (or --format)",
                            "another ending"});
}

/// Before the program runs for hours.
void check_output(const RecordArguments& arguments) {
  const auto path = std::filesystem::absolute(arguments.output);
  if (!std::filesystem::is_directory(path.parent_path()))
    throw traces::InputError({arguments.output, "", "a folder to write to", "none"});
  if (!arguments.may_overwrite && std::filesystem::exists(path))
    throw traces::InputError(
        {arguments.output, "", "a new file (or --force)", "one that is there already"});
}

/// What the program ended with, unless that is "all went well" and it did not for us.
ExitStatus finish(const RecordArguments& arguments, const FinishedRecordings& to,
                  const std::string& base, const ProgramEnd& end) {
  try {
    const auto names = finish_recordings(recording_parts(base), end.process, to);
    if (names.empty())
      std::fprintf(
          stderr, "vramlab: nothing was recorded: no memory was asked for through CUDA's driver\n");
    if (!arguments.flags.quiet)
      for (const std::string& name : names)
        std::fprintf(stderr, "vramlab: recorded in %s\n", name.c_str());
    return static_cast<ExitStatus>(end.status);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "vramlab: the recording stays unfinished at %s.*: %s\n", base.c_str(),
                 error.what());
    return end.status == 0 ? ExitStatus::bad_input : static_cast<ExitStatus>(end.status);
  }
}

ExitStatus record(const RecordArguments& arguments) {
  const FinishedRecordings to{
      arguments.output, format_of(arguments),
      arguments.may_overwrite ? traces::Overwrite::allowed : traces::Overwrite::refused};
  check_output(arguments);
  const std::string base =
      std::filesystem::absolute(arguments.output).string() + ".part-" + std::to_string(getpid());
  PreloadedProgram program{arguments.program,
                           {{"VRAMLAB_SHIM", "record"}, {"VRAMLAB_RECORD", base}}};
  program.variables.emplace_back("VRAMLAB_RECORD_STACKS", arguments.has_stacks ? "1" : "0");
  return finish(arguments, to, base, run_preloaded(program));
}

}  // namespace

void add_record_command(CLI::App& program, CommandAction& action) {
  const auto arguments = std::make_shared<RecordArguments>();
  CLI::App* command = program.add_subcommand(
      "record", "Run a CUDA program, record its allocations, and end with its exit status");
  command->add_option("-o,--output", arguments->output, "The native trace to write")->required();
  command
      ->add_option("--format", arguments->format,
                   "native-text or native-binary; without it, the output's ending says")
      ->check(CLI::IsMember({"native-text", "native-binary"}));
  command->add_flag("--stacks", arguments->has_stacks, "Also where in the program each call is");
  command->add_flag("--force", arguments->may_overwrite, "Overwrite the output");
  command->add_option("PROGRAM", arguments->program, "The program and its arguments, after --")
      ->required();
  add_common_flags(*command, arguments->flags);
  command->get_option("--json")->description("Changes nothing: the answer is the file");
  command->footer("Example: vramlab record -o train.vtrace -- ./train --steps 10");
  command->callback([arguments, &action] { action = [arguments] { return record(*arguments); }; });
}

}  // namespace vramlab::tools
