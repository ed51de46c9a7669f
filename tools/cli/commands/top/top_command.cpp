// `vramlab top`: who holds memory at a moment, and what grows from iteration to iteration.
#include <algorithm>
#include <map>

#include "tools/cli/commands/top/top_report.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/input_files.h"
#include "tools/cli/kit/moment_argument.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/kit/progress_bar.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

using replay::GroupBy;

constexpr std::uint64_t usual_limit = 20;

struct TopArguments {
  std::string file;
  std::string at = "peak";
  std::vector<std::uint64_t> between;
  std::string by = "site";
  std::optional<std::uint64_t> limit;
  std::optional<std::int64_t> device;
  bool host = false;
  bool folded = false;
  bool growth = false;
  bool native = false;
  std::vector<std::uint64_t> iteration_ends;
  std::uint64_t every = 0;
  CommonFlags flags;

  /// JSON is for programs: nothing is left out unless that is asked for.
  std::uint64_t shown() const { return limit.value_or(flags.json ? 0 : usual_limit); }
};

const std::map<std::string, GroupBy>& groupings() {
  static const std::map<std::string, GroupBy> names = {
      {"site", GroupBy::site},     {"stack", GroupBy::stack}, {"size", GroupBy::size},
      {"stream", GroupBy::stream}, {"pool", GroupBy::pool},   {"age", GroupBy::age},
      {"label", GroupBy::label}};
  return names;
}

replay::Moment wanted_moment(const TopArguments& arguments) {
  if (arguments.between.empty()) return *moment_of(arguments.at);
  return {replay::MomentKind::event, arguments.between[1]};
}

template <typename Devices>
void keep_device(Devices& devices, const TopArguments& arguments) {
  if (!arguments.device) return;
  std::string others;
  for (const auto& device : devices)
    others += (others.empty() ? "" : ", ") + std::to_string(device.device);
  std::erase_if(devices, [&](const auto& device) { return device.device != *arguments.device; });
  if (devices.empty())
    throw traces::InputError(
        {traces::input_name(arguments.file), "",
         "a device " + std::to_string(*arguments.device) + " that has something to show",
         others.empty() ? "none" : "only " + others});
}

ExitStatus show_growth(const TopArguments& arguments, ProgressBar& bar) {
  replay::IterationRule rule;
  if (!arguments.iteration_ends.empty()) {
    rule.source = replay::IterationSource::events;
    rule.events = arguments.iteration_ends;
    std::ranges::sort(rule.events);
  } else if (arguments.every > 0) {
    rule.source = replay::IterationSource::every;
    rule.every = arguments.every;
  }
  const auto passes =
      rule.source == replay::IterationSource::none ? replay::Passes::many : replay::Passes::one;
  const std::unique_ptr<replay::Recording> recording =
      open_recording(arguments.file, bar.listener(), {.passes = passes});
  GrowthOutcome outcome{arguments.file, find_growth(*recording, rule), recording->tables(),
                        arguments.shown()};
  if (outcome.found.rule.source != replay::IterationSource::none)
    keep_device(outcome.found.devices, arguments);
  print(arguments.flags.json ? growth_json(outcome) : growth_text(outcome));
  return ExitStatus::done;
}

ExitStatus show_top(const TopArguments& arguments) {
  if (!arguments.between.empty() && arguments.between[0] >= arguments.between[1])
    throw CLI::ValidationError("--between", "expected the earlier event first, found " +
                                                std::to_string(arguments.between[0]) + " and " +
                                                std::to_string(arguments.between[1]));
  ProgressBar bar(arguments.file, arguments.flags);
  if (arguments.growth) return show_growth(arguments, bar);
  const auto memory = arguments.host ? traces::ShownMemory::host : traces::ShownMemory::device;
  const std::unique_ptr<replay::Recording> recording =
      open_recording(arguments.file, bar.listener(), {.passes = replay::Passes::one}, memory);
  const traces::SnapshotTables& tables = recording->tables();
  TopOutcome outcome;
  outcome.is_program = recording->is_program();
  outcome.memory = memory;
  outcome.file = arguments.file;
  const replay::Moment moment = wanted_moment(arguments);
  outcome.moment =
      arguments.between.empty() ? shown_moment(arguments.at) : std::to_string(moment.event);
  outcome.at_time = moment.kind == replay::MomentKind::time;
  if (!arguments.between.empty()) outcome.allocated_after = arguments.between[0];
  outcome.grouped_by = arguments.by;
  outcome.by = groupings().at(arguments.by);
  outcome.limit = arguments.shown();
  if (arguments.native) outcome.frames = traces::FrameChoice::all;
  outcome.found = find_holdings(*recording, moment, outcome.allocated_after);
  keep_device(outcome.found.devices, arguments);
  if (arguments.folded)
    print(top_folded(outcome, tables));
  else
    print(arguments.flags.json ? top_json(outcome, tables) : top_text(outcome, tables));
  return ExitStatus::done;
}

void add_moment_options(CLI::App& command, TopArguments& arguments) {
  CLI::Option* at =
      add_moment(command, "--at", arguments.at,
                 "When: peak, oom, end, an event's number, or a time from the first event on, such "
                 "as 12.5ms or time:3s (default: peak)");
  command
      .add_option("--between", arguments.between,
                  "Only what was allocated after the first of two events, up to the second, and "
                  "is live after it")
      ->expected(2)
      ->excludes(at)
      ->option_text("A B");
  CLI::Option* device = command.add_option("--device", arguments.device, "Only this device");
  command
      .add_flag("--host", arguments.host,
                "Pinned host memory instead of that of GPUs: of recordings since PyTorch 2.14 and "
                "of programs with events about it")
      ->excludes(device);
}

void add_growth_options(CLI::App& command, TopArguments& arguments) {
  CLI::Option* growth = command.add_flag(
      "--growth", arguments.growth, "Find leaks: call sites that hold more with each iteration");
  CLI::Option* ends = command
                          .add_option("--iteration", arguments.iteration_ends,
                                      "The events that iterations end after: 100,200,300")
                          ->delimiter(',')
                          ->needs(growth);
  command.add_option("--every", arguments.every, "An iteration is so many events of a device")
      ->check(refusal_of_nothing)
      ->needs(growth)
      ->excludes(ends);
  for (const char* other : {"--at", "--between", "--by", "--folded", "--native", "--host"})
    growth->excludes(command.get_option(other));
}

void add_options(CLI::App& command, TopArguments& arguments) {
  add_file(command, arguments.file,
           "A PyTorch memory snapshot (pickle or JSON), a native trace, a torch profiler "
           "trace or an RMM log (also .gz, .zst; - is standard input)");
  add_moment_options(command, arguments);
  std::vector<std::string> names;
  for (const auto& [name, by] : groupings()) names.push_back(name);
  CLI::Option* by = command
                        .add_option("--by", arguments.by,
                                    "Group by: site (the user's own innermost frame, the "
                                    "default), stack (a tree), size, stream, pool, age, label "
                                    "(of the program)")
                        ->check(CLI::IsMember(names));
  command.add_option("--limit", arguments.limit,
                     "Rows to show of each device (default: 20, in JSON all; 0 for all)");
  add_common_flags(command, arguments.flags);
  command
      .add_flag("--folded", arguments.folded,
                "Print folded stacks with their bytes, for flamegraph.pl")
      ->excludes(by)
      ->excludes(command.get_option("--json"))
      ->excludes(command.get_option("--limit"));
  command.add_flag("--native", arguments.native,
                   "In trees and folded stacks, frames of C and C++ beside Python's, too");
  add_growth_options(command, arguments);
}

}  // namespace

Command top_command() {
  return {"top", "Show who holds memory at the peak or another moment, and find leaks",
          "Example: vramlab top snapshot.pickle", with<TopArguments>(add_options, show_top)};
}

}  // namespace vramlab::tools
