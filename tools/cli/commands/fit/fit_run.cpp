#include "tools/cli/commands/fit/fit_run.h"

#include <algorithm>
#include <csignal>
#include <deque>
#include <fstream>

#include "replay/settings_search/capacity.h"
#include "tools/cli/commands/dry_run/dry_run_attempt.h"
#include "tools/cli/kit/interrupts.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t most_last_lines = 3;
constexpr std::streamoff most_log_bytes = 16 << 10;

std::string last_lines_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return "";
  file.seekg(
      std::max<std::streamoff>(0, static_cast<std::streamoff>(file.tellg()) - most_log_bytes));
  std::deque<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (line.empty()) continue;
    lines.push_back(line);
    if (lines.size() > most_last_lines) lines.pop_front();
  }
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// The name of the process; empty for the only one.
std::string name_among(const DryRunOutcome& outcome, const DryRunProcess& process) {
  return outcome.processes.size() > 1 ? process.notes.name() : "";
}

/// The place of the first failed request of the process: the program's own line, which says more
/// than a function of PyTorch.
void note_first_failure(const DryRunProcess& process, FitFigures& figures) {
  for (const replay::DeviceOverview& device : process.findings.devices) {
    if (!device.first_failure) continue;
    figures.failed_at = device.first_failure->place;
    figures.failed_bytes = device.first_failure->requested.count;
    break;
  }
  if (!process.notes.python || process.notes.python->failures.empty()) return;
  const NotedFailure& failure = process.notes.python->failures.front();
  figures.failed_bytes = failure.requested_bytes;
  if (!failure.place.empty()) figures.failed_at = short_place(failure.place);
}

void add_failures(const DryRunProcess& process, const std::string& name, FitFigures& figures) {
  std::uint64_t found = 0;
  for (const replay::DeviceOverview& device : process.findings.devices) found += device.failures;
  const std::uint64_t told = process.notes.python ? process.notes.python->failure_count : 0;
  if (figures.failures == 0 && std::max(found, told) > 0) {
    note_first_failure(process, figures);
    figures.failed_process = name;
  }
  figures.failures += std::max(found, told);
}

constexpr std::size_t most_holders = 8;

void note_holders(const replay::DeviceOverview& device, FitFigures& figures) {
  figures.is_held_by_kind = !device.kinds.empty();
  const auto& groups = figures.is_held_by_kind ? device.kinds : device.holders;
  std::uint64_t left = device.allocated_at_peak.count;
  figures.held.clear();
  for (const replay::HeldGroup& group : groups) {
    if (figures.held.size() == most_holders) break;
    const std::uint64_t bytes = std::min(left, group.totals.bytes.count);
    left -= bytes;
    if (bytes > 0) figures.held.push_back({group.key, bytes});
  }
  if (left > 0 && !figures.held.empty()) figures.held.push_back({rest_of_holders, left});
}

void add_peaks(const DryRunOutcome& outcome, FitFigures& figures) {
  for (const DryRunProcess& process : outcome.processes) {
    std::uint64_t reserved = 0;
    std::uint64_t allocated = 0;
    if (const replay::DeviceOverview* const device = process.findings.worst()) {
      reserved = device->metric("peak_reserved").count;
      allocated = device->metric("peak_allocated").count;
    } else {
      for (const NotedGpu& gpu : process.notes.gpus)
        reserved = allocated = std::max(reserved, gpu.peak_used_bytes);
    }
    if (reserved <= figures.peak_reserved) continue;
    figures.peak_reserved = reserved;
    figures.peak_allocated = allocated;
    figures.worst_process = name_among(outcome, process);
    if (const replay::DeviceOverview* const device = process.findings.worst())
      note_holders(*device, figures);
  }
}

std::string fingerprint_of(const DryRunOutcome& outcome) {
  std::string text;
  for (const DryRunProcess& process : outcome.processes)
    for (const replay::DeviceOverview& device : process.findings.devices) {
      text += std::to_string(device.device) + ":" + std::to_string(device.event_count);
      for (const replay::MetricValue& value : device.metrics)
        text += "," + std::to_string(value.value);
      text += ";";
    }
  return text;
}

/// The most of all processes; empty if one of them passes on no memory.
std::optional<std::uint64_t> need_under(const std::optional<std::string>& conf,
                                        const DryRunOutcome& outcome,
                                        const DryRunArguments& arguments) {
  replay::ReplayConditions conditions;
  conditions.options = conf;
  if (arguments.held_by_others) conditions.held_by_others = Bytes{*arguments.held_by_others};
  std::optional<std::uint64_t> most;
  for (const DryRunProcess& process : outcome.processes) {
    if (!process.findings.replayer) continue;
    const auto least = find_capacity(*process.findings.replayer, conditions, {0, 0}).least;
    if (!least) return std::nullopt;
    most = std::max(most.value_or(0), least->count);
  }
  return most;
}

/// Whether the host, and not the GPU, had too little memory, as far as the program says so.
bool is_out_of_host_memory(const FitFigures& figures) {
  return figures.failures == 0 &&
         (figures.status == ended_by_signal + SIGKILL || figures.error.starts_with("MemoryError") ||
          figures.last_words.find("DefaultCPUAllocator: can't allocate memory") !=
              std::string::npos);
}

void add_errors(const DryRunOutcome& outcome, FitFigures& figures) {
  for (const DryRunProcess& process : outcome.processes) {
    for (const Note* const note : process.notes.of_kind("modelled"))
      figures.modelled += note->count;
    if (!process.notes.python) continue;
    const PythonNotes& python = *process.notes.python;
    if (!python.torch.empty()) figures.torch = python.torch;
    figures.files.insert(figures.files.end(), python.files.begin(), python.files.end());
    if (!figures.error.empty()) continue;
    if (!python.waits_at.empty())
      figures.error =
          "it waits for a value that no kernel computes, at " + short_place(python.waits_at);
    else if (python.error)
      figures.error =
          python.error->type +
          (python.error->place.empty() ? "" : " at " + short_place(python.error->place));
  }
}

}  // namespace

FitFigures figures_of_run(const FitRun& run, const RunProgram& run_program) {
  FitFigures figures;
  const Attempt made = attempt(run.arguments, run_program);
  RemovalOnInterrupt removal;
  removal.begin({made.folder->path().string()});
  figures.status = made.end.status;
  DryRunOutcome outcome = outcome_of(made);
  judge(limits_of(run.arguments), outcome);
  for (const DryRunProcess& process : outcome.processes)
    add_failures(process, name_among(outcome, process), figures);
  add_peaks(outcome, figures);
  add_errors(outcome, figures);
  figures.history_fingerprint = fingerprint_of(outcome);
  figures.last_words = last_lines_of(run.log);
  figures.ran_out_of_host_memory = is_out_of_host_memory(figures);
  if (!outcome.broken.empty())
    figures.broken_limit = outcome.broken.front().text + ": " + outcome.broken.front().value;
  if (figures.failures > 0 || !figures.error.empty()) return figures;
  for (const std::optional<std::string>& conf : run.confs)
    figures.needs.push_back(need_under(conf, outcome, run.arguments));
  return figures;
}

ordered_json figures_json(const FitFigures& figures) {
  ordered_json needs = ordered_json::array();
  for (const auto& need : figures.needs) needs.push_back(need ? ordered_json(*need) : nullptr);
  ordered_json held = ordered_json::array();
  for (const auto& [name, bytes] : figures.held) held.push_back({name, bytes});
  ordered_json files = ordered_json::array();
  for (const NotedFile& file : figures.files)
    files.push_back({file.path, file.bytes, file.changed_ns});
  return {{"status", figures.status},
          {"error", figures.error},
          {"trouble", figures.trouble},
          {"last_words", figures.last_words},
          {"ran_out_of_host_memory", figures.ran_out_of_host_memory},
          {"failures", figures.failures},
          {"failed_bytes", figures.failed_bytes},
          {"failed_at", figures.failed_at},
          {"failed_process", figures.failed_process},
          {"peak_allocated", figures.peak_allocated},
          {"peak_reserved", figures.peak_reserved},
          {"worst_process", figures.worst_process},
          {"held", held},
          {"is_held_by_kind", figures.is_held_by_kind},
          {"needs", needs},
          {"history_fingerprint", figures.history_fingerprint},
          {"broken_limit", figures.broken_limit},
          {"modelled", figures.modelled},
          {"torch", figures.torch},
          {"files", files},
          {"processor_s", figures.processor_s},
          {"host_bytes", figures.host_bytes}};
}

FitFigures figures_from_json(const ordered_json& json) {
  FitFigures figures;
  json.at("status").get_to(figures.status);
  json.at("error").get_to(figures.error);
  json.at("trouble").get_to(figures.trouble);
  json.at("last_words").get_to(figures.last_words);
  json.at("ran_out_of_host_memory").get_to(figures.ran_out_of_host_memory);
  json.at("failures").get_to(figures.failures);
  json.at("failed_bytes").get_to(figures.failed_bytes);
  json.at("failed_at").get_to(figures.failed_at);
  json.at("failed_process").get_to(figures.failed_process);
  json.at("peak_allocated").get_to(figures.peak_allocated);
  json.at("peak_reserved").get_to(figures.peak_reserved);
  json.at("worst_process").get_to(figures.worst_process);
  for (const ordered_json& held : json.at("held")) figures.held.push_back({held.at(0), held.at(1)});
  json.at("is_held_by_kind").get_to(figures.is_held_by_kind);
  for (const ordered_json& need : json.at("needs"))
    figures.needs.push_back(need.is_null() ? std::optional<std::uint64_t>()
                                           : need.get<std::uint64_t>());
  json.at("history_fingerprint").get_to(figures.history_fingerprint);
  json.at("broken_limit").get_to(figures.broken_limit);
  json.at("modelled").get_to(figures.modelled);
  json.at("torch").get_to(figures.torch);
  for (const ordered_json& file : json.at("files"))
    figures.files.push_back({file.at(0), file.at(1), file.at(2)});
  json.at("processor_s").get_to(figures.processor_s);
  json.at("host_bytes").get_to(figures.host_bytes);
  return figures;
}

}  // namespace vramlab::tools
