// `vramlab report`: one page to look at.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "allocator/words/check.h"
#include "tools/commands/report/report_runs.h"
#include "tools/commands/report/report_template.h"
#include "tools/kit/commands.h"
#include "tools/kit/progress_bar.h"
#include "tools/kit/removal_on_interrupt.h"
#include "tools/printers/json_text.h"
#include "traces/files/input_error.h"
#include "traces/files/output_file.h"

namespace vramlab::tools {
namespace {

/// The promise: a page is no larger.
constexpr std::size_t most_page_bytes = 20'000'000;

struct ReportCommand {
  std::vector<std::string> files;
  std::vector<std::string> options;
  ReplayArguments replay;
  std::string output;
  bool may_overwrite = false;
  CommonFlags flags;
};

std::string short_name(const std::string& file) {
  return file == "-" ? "standard input" : std::filesystem::path(file).filename().string();
}

std::string shown_options(const std::string& options) {
  return options.empty() ? "no options" : options;
}

/// Each file as it is, then under each of the options.
std::vector<ReportRunRequest> runs_of(const ReportCommand& command) {
  std::vector<ReportRunRequest> runs;
  for (const std::string& file : command.files) {
    const std::string name = command.files.size() > 1 ? short_name(file) : std::string();
    const bool is_plain = !command.options.empty() || !command.replay.asks_for_replay();
    ReplayArguments plain;
    plain.reference = command.replay.reference;
    plain.on_out_of_memory = command.replay.on_out_of_memory;
    runs.push_back({file, name, conditions_of(is_plain ? plain : command.replay), !is_plain});
    for (const std::string& options : command.options) {
      ReplayArguments arguments = command.replay;
      arguments.options = options;
      runs.push_back({file, name + (name.empty() ? "" : ", ") + shown_options(options),
                      conditions_of(arguments), true});
    }
  }
  return runs;
}

void check_inputs(const std::vector<ReportRunRequest>& runs) {
  const auto is_input = [](const ReportRunRequest& run) { return run.file == "-"; };
  if (std::ranges::count_if(runs, is_input) > 1)
    throw traces::InputError({traces::input_name("-"), "",
                              "a file, as this goes through it more than once", "standard input"});
}

nlohmann::ordered_json json_of(const ReportRunRequest& run) {
  nlohmann::ordered_json json = {{"file", run.file}};
  json["options"] = run.conditions.options ? nlohmann::ordered_json(*run.conditions.options)
                                           : nlohmann::ordered_json(nullptr);
  return json;
}

/// Gives what was written, as JSON.
nlohmann::ordered_json write_page(const ReportCommand& command, traces::OutputFile& output) {
  const std::string_view page = report_template();
  const std::size_t at = page.find(report_data_mark);
  check(at != std::string_view::npos, "the page has a place for its data");
  const std::vector<ReportRunRequest> runs = runs_of(command);
  check_inputs(runs);
  replay::ReportLimits limits;
  for (std::size_t count = runs.size(); count > 1; count = (count + 1) / 2)
    limits = limits.halved();
  // Of what is left for the data, each run gets the same.
  const std::size_t most_bytes = (most_page_bytes - page.size()) / runs.size() - 200;
  std::size_t bytes = 0;
  const auto write = [&](std::string_view text) {
    output.write(text);
    bytes += text.size();
  };
  nlohmann::ordered_json json = {{"schema_version", 1}, {"output", output.name()}};
  write(page.substr(0, at));
  for (const ReportRunRequest& run : runs) {
    json["runs"].push_back(json_of(run));
    ProgressBar bar(traces::input_name(run.file),
                    command.flags.quiet ? ProgressDisplay::off : ProgressDisplay::automatic);
    write("<script type=\"application/octet-stream\" class=\"run\">");
    write(packed_run(run, limits, most_bytes, bar.listener()));
    write("</script>\n");
  }
  write(page.substr(at + report_data_mark.size()));
  json["bytes"] = bytes;
  return json;
}

ExitStatus write_report(const ReportCommand& command) {
  start_logging(command.flags);
  RemovalOnInterrupt removal;
  traces::OutputFile output(command.output, command.may_overwrite ? traces::Overwrite::allowed
                                                                  : traces::Overwrite::refused);
  removal.begin({output.temporary_path()});
  const nlohmann::ordered_json json = write_page(command, output);
  output.finish();
  if (command.flags.json) std::fputs(json_text(json).c_str(), stdout);
  return ExitStatus::done;
}

}  // namespace

void add_report_command(CLI::App& program, CommandAction& action) {
  const auto arguments = std::make_shared<ReportCommand>();
  CLI::App* command = program.add_subcommand(
      "report", "Write one page to look at: memory over time, states, who holds what, events");
  command
      ->add_option("FILE", arguments->files,
                   "Recordings or programs, in any format that vramlab info knows; several are "
                   "shown side by side (- is standard input)")
      ->required();
  command
      ->add_option(
          "--conf", arguments->options,
          "Options (PYTORCH_CUDA_ALLOC_CONF) to show a replay under, beside the recording; "
          "may be given several times")
      ->expected(1)
      ->take_all();
  add_replay_conditions(*command, arguments->replay);
  command->add_option("-o,--output", arguments->output, "The page to write (.html)")->required();
  command->add_flag("--force", arguments->may_overwrite, "Overwrite the output");
  add_common_flags(*command, arguments->flags);
  command->footer("Example: vramlab report snapshot.pickle -o report.html");
  command->callback(
      [arguments, &action] { action = [arguments] { return write_report(*arguments); }; });
}

}  // namespace vramlab::tools
