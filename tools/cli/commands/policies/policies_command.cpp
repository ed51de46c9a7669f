// `vramlab policies`: gives the same requests to PyTorch's allocator and to others.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "replay/packing/find_lifetimes.h"
#include "replay/packing/lifetimes.h"
#include "replay/packing/policy_run.h"
#include "replay/replayer/replay_conditions.h"
#include "replay/replayer/replay_setup.h"
#include "tools/cli/commands/pack/pack_report.h"
#include "tools/cli/kit/arguments.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/input_files.h"
#include "tools/cli/kit/messages.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/printers/json_text.h"
#include "tools/cli/printers/shown_text.h"
#include "tools/cli/printers/table.h"
#include "tools/cli/printers/text_lines.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;
using replay::PolicyRun;

struct PoliciesOfDevice {
  std::int64_t device = 0;
  /// As a dry run notes it, where it counts.
  std::optional<Bytes> noted_limit;
  /// A lower bound: no policy needs less.
  Bytes peak_requested;
  replay::PackGroup blocks;
  replay::PackingResult packing;
  std::vector<replay::PolicyRun> runs;
};

struct PoliciesOutcome {
  std::string file;
  /// The options for PyTorch's own allocator.
  std::string options;
  std::vector<std::string> notes;
  std::vector<PoliciesOfDevice> devices;
};

std::uint64_t value_of(const PolicyRun& run, std::string_view name) {
  return static_cast<std::uint64_t>(find_value(run.metrics, name)->value);
}

Table table_of(const PoliciesOfDevice& device) {
  Table table({left("policy", 20),
               {"reserved", 11},
               {"unused", 11},
               {"cudaMalloc", 11},
               {"cudaFree", 11},
               {"units", 11},
               {"remapped", 11},
               {"failed", 11}});
  for (const PolicyRun& run : device.runs) {
    const auto count = [&](std::string_view name) { return std::to_string(value_of(run, name)); };
    table.add({std::string(run.policy) + (run.is_in_pytorch ? "" : " *"),
               format_bytes({value_of(run, "peak_reserved")}), ratio_text(run.unused_at_peak),
               count("device_allocs"), count("device_frees"), count("units_mapped"),
               std::to_string(run.report.units_remapped), count("out_of_memory")});
  }
  return table;
}

std::vector<std::string> notes_of(const PoliciesOfDevice& device) {
  std::vector<std::string> notes = {"best packing, with all lifetimes known in advance: " +
                                    best_packing_text(device.blocks, device.packing)};
  for (const PolicyRun& run : device.runs) {
    for (const std::string& note : run.report.notes) notes.push_back(note);
    if (run.report.stream_waits > 0)
      notes.push_back(std::string(run.policy) + ": " + std::to_string(run.report.stream_waits) +
                      " streams were waited for, so that their memory could serve others");
  }
  return notes;
}

std::string head_of(const PoliciesOfDevice& device) {
  return "device " + std::to_string(device.device) + ": peak requested " +
         format_bytes(device.peak_requested) +
         (device.noted_limit
              ? ", memory " + format_bytes(*device.noted_limit) + ", noted by the dry run"
              : "");
}

constexpr const char* star = "* not in PyTorch: for comparison only, no setting turns it on";

ordered_json run_json(const PolicyRun& run) {
  return {{"policy", run.policy},
          {"is_in_pytorch", run.is_in_pytorch},
          {"metrics", metrics_json(run.metrics)},
          {"unused_at_peak", metric_number({"external_fragmentation", run.unused_at_peak})},
          {"units_remapped", run.report.units_remapped},
          {"stream_waits", run.report.stream_waits},
          {"notes", run.report.notes}};
}

std::string policies_text(const PoliciesOutcome& outcome) {
  std::string text = shown_name(outcome.file) + "\n";
  if (!outcome.options.empty())
    text += "  options of caching: " + shown_name(outcome.options) + "\n";
  for (const std::string& note : outcome.notes) text += "  note: " + shown_name(note) + "\n";
  for (const PoliciesOfDevice& device : outcome.devices) {
    text += head_of(device) + "\n" + table_of(device).text();
    for (const std::string& note : notes_of(device)) text += "  " + shown_name(note) + "\n";
  }
  return text + "  " + star + "\n";
}

std::string policies_markdown(const PoliciesOutcome& outcome) {
  std::string text;
  if (!outcome.options.empty())
    text += "options of caching: " + markdown_cell(outcome.options) + "\n\n";
  for (const std::string& note : outcome.notes) text += "note: " + markdown_cell(note) + "\n\n";
  for (const PoliciesOfDevice& device : outcome.devices) {
    text += head_of(device) + "\n\n" + table_of(device).markdown() + "\n";
    for (const std::string& note : notes_of(device)) text += markdown_cell(note) + "\n\n";
  }
  return text + "\\" + star + "\n";
}

ordered_json device_json(const PoliciesOfDevice& device) {
  return {{"device", device.device},
          {"peak_requested", device.peak_requested.count},
          {"memory_limit", device.noted_limit ? ordered_json(device.noted_limit->count) : nullptr},
          {"best_packing", best_packing_json(&device.packing)},
          {"policies", json_list(device.runs, run_json)}};
}

std::string policies_json(const PoliciesOutcome& outcome) {
  return json_text({{"schema_version", 1},
                    {"file", outcome.file},
                    {"options", outcome.options},
                    {"notes", outcome.notes},
                    {"devices", json_list(outcome.devices, device_json)}});
}

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

/// As a dry run notes it; nothing where memory was not short.
std::optional<Bytes> noted_limit(replay::Recording& recording, std::int64_t device) {
  if (recording.is_program()) return std::nullopt;
  const replay::DeviceHistory* const history = recording.device(device);
  return history == nullptr ? std::nullopt : history->noted_limit;
}

Bytes memory_for(const PoliciesArguments& arguments, const PoliciesOfDevice& device) {
  if (arguments.device_memory) return {*arguments.device_memory};
  return device.noted_limit.value_or(replay::boundless_memory);
}

PoliciesOutcome run_all(const PoliciesArguments& arguments) {
  ProgressBar bar(arguments.file, arguments.flags);
  const std::unique_ptr<replay::Recording> recording =
      open_recording(arguments.file, bar.listener());
  bar.show("compares policies");
  const replay::FoundLifetimes found = replay::find_lifetimes(*recording);
  PoliciesOutcome outcome;
  outcome.file = arguments.file;
  outcome.notes = found.notes;
  const replay::PolicyConditions conditions{
      *found.version, arguments.options
                          ? replay::settings_of(*arguments.options, *found.version, "the options")
                          : found.settings};
  outcome.options = conditions.settings.text;
  const auto iteration_ends = replay::find_iteration_ends(*recording);
  for (const replay::DeviceLifetimes& device : found.devices) {
    check_countable(device, recording->file());
    const auto ends = iteration_ends.find(device.device);
    PoliciesOfDevice& result = outcome.devices.emplace_back();
    result.device = device.device;
    if (!arguments.device_memory) result.noted_limit = noted_limit(*recording, device.device);
    const replay::PolicyTask task{
        device, ends == iteration_ends.end() ? std::vector<std::uint64_t>{} : ends->second,
        memory_for(arguments, result), !arguments.options};
    result.peak_requested = lower_bounds_of(device).peak_requested;
    result.blocks = pack_group_of(device, recording->file());
    result.packing = packing_beside(result.blocks);
    for (const replay::PolicyRow* row : chosen(arguments))
      result.runs.push_back(run_policy(*row, task, conditions));
  }
  if (outcome.devices.empty())
    throw traces::InputError({recording->file(), "", "a device with memory in use", "none"});
  return outcome;
}

ExitStatus compare(const PoliciesArguments& arguments) {
  const PoliciesOutcome outcome = run_all(arguments);
  if (arguments.flags.json || arguments.format == "json")
    print(policies_json(outcome));
  else
    print(arguments.format == "markdown" ? policies_markdown(outcome) : policies_text(outcome));
  return ExitStatus::done;
}

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (const replay::PolicyRow& row : replay::all_policies()) names.emplace_back(row.name);
  return names;
}

void add_options(CLI::App& command, PoliciesArguments& arguments) {
  add_file(command, arguments.file,
           "A recording or a program, in any format that vramlab info reads (also .gz, "
           ".zst; - is standard input)");
  command.add_option("--policy", arguments.names, "Only this one; may be given several times")
      ->check(CLI::IsMember(policy_names()));
  command.add_option("--conf", arguments.options,
                     "Options for PyTorch's own, instead of those in the file");
  add_device_memory(command, arguments.device_memory, "no limit");
  CLI::Option* format = command.add_option("--format", arguments.format, "The output's format")
                            ->check(CLI::IsMember({"text", "json", "markdown"}));
  add_common_flags(command, arguments.flags);
  format->excludes(command.get_option("--json"));
}

}  // namespace

Command policies_command() {
  return {"policies", "Compare PyTorch's allocator with other allocation policies",
          "Example: vramlab policies snapshot.pickle",
          with<PoliciesArguments>(add_options, compare)};
}

}  // namespace vramlab::tools
