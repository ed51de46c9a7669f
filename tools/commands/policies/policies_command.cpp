// `vramlab policies`: the same requests given to PyTorch's allocator and to others.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include "replay/packing/find_lifetimes.h"
#include "replay/packing/lower_bounds.h"
#include "replay/run/replay_conditions.h"
#include "replay/run/replay_options.h"
#include "tools/commands/policies/policies_report.h"
#include "tools/kit/commands.h"
#include "tools/kit/progress_bar.h"
#include "tools/kit/replay_arguments.h"
#include "traces/files/input_error.h"

namespace vramlab::tools {
namespace {

struct PoliciesArguments {
  std::string file;
  std::vector<std::string> names;
  std::optional<std::string> options;
  std::optional<std::uint64_t> device_memory;
  std::string format = "text";
  CommonFlags flags;
};

std::vector<const replay::PolicyRow*> chosen(const PoliciesArguments& arguments) {
  std::vector<const replay::PolicyRow*> rows;
  for (const replay::PolicyRow& row : replay::all_policies())
    if (arguments.names.empty() ||
        std::ranges::find(arguments.names, row.name) != arguments.names.end())
      rows.push_back(&row);
  return rows;
}

/// Stands at the end of the file: iterations are looked for in it once more.
std::map<std::int64_t, std::vector<std::uint64_t>> iteration_ends_of(
    const PoliciesArguments& arguments, PoliciesOutcome& outcome) {
  if (arguments.file != "-") return replay::find_iteration_ends(arguments.file, nullptr);
  outcome.notes.emplace_back(
      "standard input is read once, so iterations, which planned goes by, were not looked for");
  return {};
}

PoliciesOutcome run_all(const PoliciesArguments& arguments, ProgressBar& bar) {
  traces::OpenTrace trace = traces::open_trace(arguments.file, bar.listener());
  traces::SnapshotTables tables;
  const replay::FoundLifetimes found = replay::find_lifetimes(trace, tables);
  PoliciesOutcome outcome;
  outcome.file = arguments.file;
  outcome.notes = found.notes;
  const replay::PolicyConditions conditions{
      *found.version, arguments.options
                          ? replay::settings_of(*arguments.options, *found.version, "the options")
                          : found.settings};
  outcome.options = conditions.settings.text;
  const auto iteration_ends = iteration_ends_of(arguments, outcome);
  for (const replay::DeviceLifetimes& device : found.devices) {
    check_countable(device, trace.file);
    const auto ends = iteration_ends.find(device.device);
    const replay::PolicyTask task{
        device,
        ends == iteration_ends.end() ? std::vector<std::uint64_t>{} : ends->second,
        {arguments.device_memory.value_or(replay::boundless_memory.count)},
        !arguments.options};
    PoliciesOfDevice& result = outcome.devices.emplace_back();
    result.device = device.device;
    result.peak_requested = lower_bounds_of(device).peak_requested;
    for (const replay::PolicyRow* row : chosen(arguments))
      result.runs.push_back(run_policy(*row, task, conditions));
  }
  if (outcome.devices.empty())
    throw traces::InputError({trace.file, "", "a device with memory in use", "none"});
  return outcome;
}

ExitStatus compare(const PoliciesArguments& arguments) {
  start_logging(arguments.flags);
  std::string text;
  {
    ProgressBar bar(traces::input_name(arguments.file),
                    arguments.flags.quiet ? ProgressDisplay::off : ProgressDisplay::automatic);
    const PoliciesOutcome outcome = run_all(arguments, bar);
    if (arguments.flags.json || arguments.format == "json")
      text = policies_json(outcome);
    else
      text = arguments.format == "markdown" ? policies_markdown(outcome) : policies_text(outcome);
  }
  std::fwrite(text.data(), 1, text.size(), stdout);
  return ExitStatus::done;
}

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (const replay::PolicyRow& row : replay::all_policies()) names.emplace_back(row.name);
  return names;
}

}  // namespace

void add_policies_command(CLI::App& program, CommandAction& action) {
  const auto arguments = std::make_shared<PoliciesArguments>();
  CLI::App* command = program.add_subcommand(
      "policies", "Compare PyTorch's allocator with others that PyTorch does not have");
  command
      ->add_option("FILE", arguments->file,
                   "A recording or a program, in any format that vramlab info reads (also .gz, "
                   ".zst; - is standard input)")
      ->required();
  command->add_option("--policy", arguments->names, "Only this one; may be given several times")
      ->check(CLI::IsMember(policy_names()));
  command->add_option("--conf", arguments->options,
                      "Options for PyTorch's own, instead of those in the file");
  add_device_memory(*command, arguments->device_memory, "no limit");
  CLI::Option* format = command->add_option("--format", arguments->format, "The output's format")
                            ->check(CLI::IsMember({"text", "json", "markdown"}));
  add_common_flags(*command, arguments->flags);
  format->excludes(command->get_option("--json"));
  command->footer("Example: vramlab policies snapshot.pickle");
  command->callback([arguments, &action] { action = [arguments] { return compare(*arguments); }; });
}

}  // namespace vramlab::tools
