#include "tools/cli/commands/dry_run/dry_run_outcome.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "streams/device/gpu_models.h"

#include "tools/cli/commands/dry_run/dry_run_job.h"
#include "tools/cli/kit/explanation_report.h"
#include "tools/cli/printers/json_text.h"
#include "tools/cli/printers/shown_text.h"
#include "tools/cli/printers/table.h"
#include "tools/cli/printers/text_lines.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;

/// A text and how often it was noted, over all processes.
struct CountedSubject {
  std::string text;
  std::uint64_t count = 0;
};

std::vector<CountedSubject> most_first(const std::map<std::string, std::uint64_t>& counts) {
  std::vector<CountedSubject> sorted;
  for (const auto& [text, count] : counts) sorted.push_back({text, count});
  std::ranges::stable_sort(sorted, std::greater<>(), &CountedSubject::count);
  return sorted;
}

/// The places of all notes of a kind; the most frequent first.
std::vector<CountedSubject> places_of(const DryRunOutcome& outcome, const std::string& kind) {
  std::map<std::string, std::uint64_t> counts;
  for (const DryRunProcess& process : outcome.processes)
    for (const Note* const note : process.notes.of_kind(kind)) {
      for (const NotedPlace& place : note->places)
        counts[place.place.empty() ? "an unknown place" : place.place] += place.count;
      if (note->places.empty()) counts["an unknown place"] += note->count;
    }
  return most_first(counts);
}

std::vector<CountedSubject> subjects_of(const DryRunOutcome& outcome, const std::string& kind) {
  std::map<std::string, std::uint64_t> counts;
  for (const DryRunProcess& process : outcome.processes)
    for (const Note* const note : process.notes.of_kind(kind)) counts[note->subject] += note->count;
  return most_first(counts);
}

/// Functions that were added for this run.
std::vector<CountedSubject> missing_functions_of(const DryRunOutcome& outcome) {
  std::map<std::string, std::uint64_t> counts;
  for (const DryRunProcess& process : outcome.processes)
    if (process.notes.python)
      for (const std::string& name : process.notes.python->missing_functions) counts[name] = 1;
  return most_first(counts);
}

/// Kinds of notes that have no line of their own in the summary.
std::vector<std::string> other_kinds_of(const DryRunOutcome& outcome) {
  std::set<std::string> kinds;
  for (const DryRunProcess& process : outcome.processes)
    for (const Note& note : process.notes.notes) kinds.insert(note.kind);
  for (const char* const known :
       {"host_read", "modelled", "beside_peak", "unknown", "out_of_bounds"})
    kinds.erase(known);
  return {kinds.begin(), kinds.end()};
}

constexpr std::size_t most_gpus_shown = 4;
constexpr std::uint64_t least_pinned_shown = 64 << 10;
constexpr std::size_t most_subjects_named = 3;
constexpr std::size_t most_growing_parts = 3;

struct ShownDevice {
  const DryRunProcess* process = nullptr;
  const replay::DeviceOverview* device = nullptr;
};

std::vector<ShownDevice> devices_of(const DryRunOutcome& outcome) {
  std::vector<ShownDevice> shown;
  for (const DryRunProcess& process : outcome.processes)
    for (const replay::DeviceOverview& device : process.findings.devices)
      shown.push_back({&process, &device});
  return shown;
}

/// The first of them, with these letters between them.
std::string listed(const std::vector<CountedSubject>& subjects, const std::string& between) {
  std::string text;
  for (const CountedSubject& subject :
       std::span(subjects).first(std::min(most_subjects_named, subjects.size())))
    text += (text.empty() ? "" : between) + subject.text +
            (subject.count > 1 ? " (" + std::to_string(subject.count) + "x)" : "");
  if (subjects.size() > most_subjects_named)
    text += " and " + std::to_string(subjects.size() - most_subjects_named) + " more";
  return text;
}

std::string named(std::vector<CountedSubject> subjects) {
  for (CountedSubject& subject : subjects) subject.text = short_place(subject.text);
  return listed(subjects, ", ");
}

std::string process_text(const DryRunOutcome& outcome, const ShownDevice& shown) {
  if (outcome.processes.size() == 1) return "";
  const auto& python = shown.process->notes.python;
  if (python && !python->rank.empty()) return ", rank " + python->rank;
  return ", process " + std::to_string(shown.process->notes.process);
}

/// Null where the peak of reserved memory is one figure, or was not looked into.
const replay::ReservedRange* range_of(const DryRunOutcome& outcome, const ShownDevice& shown) {
  const auto found = outcome.reserved.find(shown.device->device);
  return shown.process == outcome.worst() && found != outcome.reserved.end() ? &found->second
                                                                             : nullptr;
}

bool has_made_up_sizes(const DryRunProcess& process) {
  return process.notes.python && !process.notes.python->sizes.empty();
}

/// How sure the peaks are for a GPU. A history may replay exactly and hold what was modelled, or
/// sizes that follow from made-up values.
std::string certainty_of(const DryRunOutcome& outcome, const ShownDevice& shown) {
  const bool is_modelled =
      shown.device->label == replay::FidelityLabel::exact &&
      (shown.device->waiting_frees > 0 || !subjects_of(outcome, "modelled").empty());
  const std::string label =
      is_modelled ? "modelled" : std::string(fidelity_label_name(shown.device->label));
  return label + (has_made_up_sizes(*shown.process) ? ", some sizes made up" : "");
}

std::string peaks_text(const DryRunOutcome& outcome, const ShownDevice& shown) {
  const std::string allocated =
      "peak allocated " + format_bytes(shown.device->metric("peak_allocated"));
  const std::string certainty = " (" + certainty_of(outcome, shown) + ")";
  const std::string reserved =
      ", peak reserved " + format_bytes(shown.device->metric("peak_reserved"));
  const replay::ReservedRange* const range = range_of(outcome, shown);
  if (range == nullptr) return allocated + reserved + certainty;
  return allocated + certainty + reserved + " (" + format_bytes(range->least) + " to " +
         format_bytes(range->most) + ", depending on where the driver puts segments)";
}

void add_device(std::string& text, const DryRunOutcome& outcome, const ShownDevice& shown,
                const std::string& what = "") {
  add_line(text, "GPU " + std::to_string(shown.device->device) + process_text(outcome, shown),
           what + peaks_text(outcome, shown));
}

/// Peaks of processes without a history of PyTorch, by the driver's account.
void add_driver_accounts(std::string& text, const DryRunOutcome& outcome) {
  std::size_t count = 0;
  for (const DryRunProcess& process : outcome.processes)
    for (const NotedGpu& gpu : process.notes.gpus)
      if (!process.notes.trace.empty() && gpu.peak_used_bytes > 0 && ++count <= most_gpus_shown)
        add_line(text, "GPU " + std::to_string(gpu.index),
                 "peak of what the driver was asked for " +
                     format_bytes(Bytes{gpu.peak_used_bytes}) + ", process " +
                     std::to_string(process.notes.process));
}

/// The memory with which nothing pages, and the smallest GPU that has it.
std::string without_paging_text(const NotedGpu& gpu, const DryRunOutcome& outcome) {
  std::string needed = format_bytes(Bytes{gpu.peak_with_managed_bytes}) + " fit";
  const auto& smallest = outcome.smallest_without_paging;
  if (!smallest) return needed;
  return needed + (smallest->gpu == nullptr ? ", for which none of the list is large enough"
                                            : ", as on " + smallest_gpu_text(*smallest));
}

/// The GPU of a process that has most managed memory, if any has some. It needs no room on the GPU,
/// but what does not fit pages to the host.
void add_managed(std::string& text, const DryRunOutcome& outcome) {
  const DryRunProcess* owner = nullptr;
  const NotedGpu* most = nullptr;
  for (const DryRunProcess& process : outcome.processes)
    for (const NotedGpu& gpu : process.notes.gpus)
      if (gpu.peak_managed_bytes > (most == nullptr ? 0 : most->peak_managed_bytes)) {
        owner = &process;
        most = &gpu;
      }
  if (most == nullptr) return;
  std::string where = "GPU " + std::to_string(most->index);
  if (outcome.processes.size() > 1) where += ", process " + std::to_string(owner->notes.process);
  add_line(text, "managed memory",
           "peak " + format_bytes(Bytes{most->peak_managed_bytes}) + ", " +
               format_bytes(Bytes{most->managed_at_peak_bytes}) + " at the peak of " + where +
               ": it pages to the host unless " + without_paging_text(*most, outcome));
}

/// The process that pinned most of the host's memory, if any did of its own accord: PyTorch pins
/// some bytes for each single number that a program reads.
void add_pinned(std::string& text, const DryRunOutcome& outcome) {
  const auto most = std::ranges::max_element(
      outcome.processes, {},
      [](const DryRunProcess& process) { return process.notes.pinned.peak_bytes; });
  if (most == outcome.processes.end() || most->notes.pinned.peak_bytes < least_pinned_shown) return;
  const NotedPinned& pinned = most->notes.pinned;
  add_line(
      text, "pinned memory",
      "peak " + format_bytes(Bytes{pinned.peak_bytes}) + " of the host's, in " +
          counted(pinned.count, "call", "calls") +
          (outcome.processes.size() > 1 ? ", process " + std::to_string(most->notes.process) : ""));
}

struct RankRow {
  unsigned rank = 0;
  int status = 0;
  /// The process that reserves most.
  const DryRunProcess* process = nullptr;
  std::uint64_t reserved() const {
    return process == nullptr ? 0 : process->findings.worst()->metric("peak_reserved").count;
  }
};

const DryRunProcess* worst_of_rank(const DryRunOutcome& outcome, unsigned rank) {
  const DryRunProcess* worst = nullptr;
  for (const DryRunProcess& process : outcome.processes) {
    const auto& python = process.notes.python;
    if (!python || python->rank != std::to_string(rank) || process.findings.worst() == nullptr)
      continue;
    const auto reserved = [](const DryRunProcess& of) {
      return of.findings.worst()->metric("peak_reserved");
    };
    if (worst == nullptr || reserved(process) > reserved(*worst)) worst = &process;
  }
  return worst;
}

std::vector<std::string> cells_of(const RankRow& row) {
  const std::string rank = std::to_string(row.rank);
  const std::string status = std::to_string(row.status);
  if (row.process == nullptr) return {rank, "-", "-", "-", status};
  const replay::DeviceOverview& device = *row.process->findings.worst();
  return {rank, format_bytes(device.metric("peak_reserved")),
          format_bytes(device.metric("peak_allocated")), device.failures > 0 ? "yes" : "no",
          status};
}

/// A line for each rank; the rank that reserves most comes first.
std::string rank_table(const DryRunOutcome& outcome) {
  std::vector<RankRow> rows;
  for (const RankEnd& end : outcome.ranks)
    rows.push_back({end.rank, end.status, worst_of_rank(outcome, end.rank)});
  std::ranges::stable_sort(rows, std::greater<>(), &RankRow::reserved);
  Table table(
      {{"rank"}, {"peak reserved"}, {"peak allocated"}, {"out of memory"}, {"exit status"}});
  for (const RankRow& row : rows) table.add(cells_of(row));
  return table.text();
}

/// One line for each of the first few devices, then the worst of all. A job gets a table instead.
void add_devices(std::string& text, const DryRunOutcome& outcome) {
  if (outcome.ranks.size() > 1) {
    text += rank_table(outcome);
    return;
  }
  const std::vector<ShownDevice> all = devices_of(outcome);
  for (const ShownDevice& shown : std::span(all).first(std::min(most_gpus_shown, all.size())))
    add_device(text, outcome, shown);
  if (all.size() <= most_gpus_shown) return;
  const auto worst = std::ranges::max_element(
      all, {}, [](const ShownDevice& shown) { return shown.device->metric("peak_reserved"); });
  add_device(text, outcome, *worst, "the worst of " + std::to_string(all.size()) + ": ");
}

/// The command as it is typed in a shell.
std::string command_text(const DryRunArguments& arguments) {
  std::string text = "vramlab dry-run --device-memory none";
  if (!arguments.gpu.empty()) text += " --gpu " + arguments.gpu;
  if (arguments.gpu_count > 1) text += " --gpus " + std::to_string(arguments.gpu_count);
  if (arguments.conf) text += " --conf '" + *arguments.conf + "'";
  return text + " -- ...";
}

std::string failure_place(const DryRunProcess& process, const replay::FoundFailure& failure) {
  const auto& python = process.notes.python;
  std::string line;
  if (python && !python->failures.empty()) line = short_place(python->failures.front().place);
  if (failure.place.empty()) return line.empty() ? "an unknown line" : line;
  // The history has no line of Python for requests from a thread of the backward pass.
  const bool has_line = failure.place.find(".py:") != std::string::npos;
  return failure.place + (has_line || line.empty() ? "" : ", called from " + line);
}

void add_failure(std::string& text, const DryRunOutcome& outcome,
                 const DryRunArguments& arguments) {
  for (const ShownDevice& shown : devices_of(outcome)) {
    if (!shown.device->first_failure) continue;
    const replay::FoundFailure& failure = *shown.device->first_failure;
    const std::uint64_t count = shown.device->failures;
    add_line(text, "OUT OF MEMORY",
             "GPU " + std::to_string(shown.device->device) + process_text(outcome, shown) + ": " +
                 format_bytes(failure.requested) + " requested at " +
                 failure_place(*shown.process, failure) +
                 (count > 1 ? ", and " + std::to_string(count - 1) + " more" : ""));
    add_line(text, "", "what the program needs after that is unknown: " + command_text(arguments));
    return;
  }
}

/// The values that a program may be given in place of these, for a sentence.
std::string other_values(const std::string& values) {
  if (values == "computed") return "--values ones or --values random";
  if (values == "ones") return "--values computed or --values random";
  return values == "random" ? "--values computed or --values ones"
                            : "--values computed, --values ones or --values random";
}

std::string advice_on_values(const DryRunOutcome& outcome) {
  return outcome.was_retried_in_vain
             ? "; zeros, ones and random values led no further: try --values-from"
             : "; try " + other_values(outcome.values) + ", or --values-from";
}

/// Such as `signal 9 (Killed)`; empty if no signal ended the program.
std::string ending_signal(const DryRunOutcome& outcome) {
  const int number = outcome.status - ended_by_signal;
  if (number <= 0 || number >= NSIG) return "";
  return "signal " + std::to_string(number) + " (" + strsignal(number) + ")";
}

/// A loop that a signal ended, if it may have waited for a value.
void add_long_loop(std::string& text, const DryRunOutcome& outcome) {
  constexpr std::uint64_t reads_of_a_loop = 10000;
  if (ending_signal(outcome).empty()) return;
  for (const DryRunProcess& process : outcome.processes)
    if (const auto read = process.notes.most_read(); read && read->count >= reads_of_a_loop)
      return add_line(text, "may have waited",
                      "for a made-up value, which it read " + std::to_string(read->count) +
                          " times at " + short_place(read->place) + advice_on_values(outcome));
}

/// An end that a made-up value may have led to.
void add_made_up_end(std::string& text, const DryRunOutcome& outcome) {
  const std::string advice = advice_on_values(outcome);
  for (const DryRunProcess& process : outcome.processes) {
    const auto& python = process.notes.python;
    if (!python || python->waits_at.empty()) continue;
    return add_line(text, "waits",
                    "the program read a made-up value over and over at " +
                        short_place(python->waits_at) +
                        " and asked for no memory meanwhile, so it was ended" + advice);
  }
  if (outcome.status == 0 || outcome.ran_out_of_memory()) return;
  for (const DryRunProcess& process : outcome.processes) {
    const auto& python = process.notes.python;
    const std::string read = process.notes.last_read();
    if (read.empty() || !python || !python->error || !python->error->may_come_from_values) continue;
    const std::string at =
        python->error->place.empty() ? "" : " at " + short_place(python->error->place);
    return add_line(text, "may come from",
                    "a made-up value, read last at " + short_place(read) + ": the " +
                        python->error->type + at + advice);
  }
}

/// The reason of the failure and what would have helped.
void add_explanation(std::string& text, const AnswerText& explanation) {
  for (const AnswerLine& line : explanation.lines)
    for (const char* const told : {"there was", "missing", "setting", "smallest GPU"})
      if (line.name == told) add_line(text, line.name, line.text);
}

/// Such as `24.00 MiB at each of the last 2 steps: 24.00 MiB activations of blocks.*`.
std::string growth_text(const replay::StepGrowth& growth) {
  const std::string steps = growth.steps_in_round == 1
                                ? std::to_string(growth.rounds) + " steps"
                                : std::to_string(growth.rounds) + " times " +
                                      std::to_string(growth.steps_in_round) + " steps";
  std::string text = format_bytes(growth.bytes) + " in each of the last " + steps;
  for (std::size_t i = 0; i < std::min(growth.parts.size(), most_growing_parts); ++i)
    text +=
        (i == 0 ? ": " : ", ") + format_bytes(growth.parts[i].bytes) + " " + growth.parts[i].name;
  return text + (growth.parts.size() > most_growing_parts ? ", and others" : "");
}

void add_holder(std::string& text, const DryRunOutcome& outcome) {
  const DryRunProcess* const process = outcome.worst();
  if (process == nullptr || process->findings.worst()->holders.empty()) return;
  const replay::DeviceOverview& device = *process->findings.worst();
  const replay::HeldGroup& holder = device.holders.front();
  add_line(text, "holds most",
           holder.key + ": " + format_bytes(holder.totals.bytes) + " of the " +
               format_bytes(device.allocated_at_peak) + " at the peak");
  const std::string kinds = kinds_text(device.kinds, device.allocated_at_peak);
  if (!kinds.empty()) add_line(text, "kinds", kinds);
  const auto& growth = process->findings.growth;
  if (const auto found = growth.find(device.device); found != growth.end())
    add_line(text, "what grows", growth_text(found->second));
}

/// Empty where it was not sought.
std::string smallest_gpu_line(const DryRunOutcome& outcome) {
  if (!outcome.smallest)
    return outcome.worst()->findings.event_count > replay_effort().most_events
               ? "not sought in so long a history: vramlab capacity FILE"
               : "";
  std::string text = smallest_gpu_text(*outcome.smallest);
  if (outcome.smallest->gpu != nullptr)
    text += std::string(", runs this history") +
            (outcome.status == 0 ? "" : ", which ends where the program failed");
  return text + without_code_text(*outcome.smallest);
}

void add_what_ifs(std::string& text, const DryRunOutcome& outcome,
                  const DryRunArguments& arguments) {
  if (outcome.worst() == nullptr) return;
  const std::string smallest = smallest_gpu_line(outcome);
  if (!smallest.empty()) add_line(text, "smallest GPU", smallest);
  if (outcome.advice)
    add_line(text, "advice",
             found_advice_text(*outcome.advice, arguments.conf ? "these options" : "no options"));
}

std::string title_of(const std::string& kind) {
  if (kind == "linked_runtime") return "CUDA's runtime is linked in, and does not run here";
  return kind == "missing_rank" ? "values of another rank were waited for in vain" : kind;
}

/// One line with everything that no stand-in models.
std::string not_modelled_text(const DryRunOutcome& outcome) {
  std::vector<std::string> parts;
  if (const auto unknown = subjects_of(outcome, "unknown"); !unknown.empty())
    parts.push_back(named(unknown));
  if (const auto missing = missing_functions_of(outcome); !missing.empty())
    parts.push_back("added for this run: " + named(missing));
  for (const std::string& kind : other_kinds_of(outcome))
    parts.push_back(title_of(kind) + ": " + named(subjects_of(outcome, kind)));
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

/// The reason why this PyTorch cannot run on the GPU; empty if it can.
std::string no_kernels_text(const DryRunOutcome& outcome, const DryRunArguments& arguments) {
  const streams::GpuModel* const gpu = streams::find_gpu(arguments.gpu);
  if (gpu == nullptr) return "";
  const streams::GpuProperties& has = gpu->properties;
  for (const DryRunProcess& process : outcome.processes) {
    const std::vector<std::string> code = process.notes.kernel_code();
    if (has.runs_any_of(code)) continue;
    std::string text = "this PyTorch (" + process.notes.python->torch + ") has none for " +
                       arguments.gpu + " (" + std::to_string(has.compute_major) + "." +
                       std::to_string(has.compute_minor) + "), only for";
    for (const std::string& each : code) text += " " + each;
    return text + ": on one, the program ends at its first kernel";
  }
  return "";
}

/// Frees that waited for other streams, of all devices: they complete when kernels end.
std::uint64_t waiting_frees_of(const std::vector<ShownDevice>& devices) {
  std::uint64_t count = 0;
  for (const ShownDevice& shown : devices) count += shown.device->waiting_frees;
  return count;
}

void add_waiting_frees(std::string& text, std::uint64_t count) {
  if (count == 0) return;
  add_line(text, "depends on times",
           counted(count, "free waits", "frees wait") +
               " for other streams; reserved memory depends on how long kernels take "
               "(--kernel-time)");
}

/// Whether the stand-ins' notes of a process are missing, as those of one that was killed are.
bool lacks_notes(const DryRunOutcome& outcome) {
  return !ending_signal(outcome).empty() &&
         std::ranges::any_of(outcome.processes, [](const DryRunProcess& process) {
           return !process.history.empty() && !process.notes.has_driver_notes;
         });
}

/// Places that chose elements by made-up values.
void add_made_up_sizes(std::string& text, const DryRunOutcome& outcome) {
  std::map<std::string, std::uint64_t> counts;
  std::map<std::string, std::uint64_t> nones;
  for (const DryRunProcess& process : outcome.processes)
    if (process.notes.python)
      for (const NotedSize& size : process.notes.python->sizes) {
        counts[size.place] += size.count;
        nones[size.place] += size.none;
      }
  if (counts.empty()) return;
  std::vector<CountedSubject> places = most_first(counts);
  for (CountedSubject& place : places) {
    const std::uint64_t none = nones[place.text];
    place.text = short_place(place.text);
    if (none > 0) place.text += none == place.count ? ", none" : ", some none";
  }
  add_line(text, "made-up sizes",
           std::to_string(places.size()) + (places.size() == 1 ? " place chose" : " places chose") +
               " elements by made-up values: " + listed(places, "; "));
}

/// Answers that a GPU may give otherwise, beside the labels of the histories.
void add_certainty(std::string& text, const DryRunOutcome& outcome, const std::string& no_kernels) {
  const auto reads = places_of(outcome, "host_read");
  const auto modelled = subjects_of(outcome, "modelled");
  const auto beside = subjects_of(outcome, "beside_peak");
  const std::string others = not_modelled_text(outcome);
  const std::vector<ShownDevice> devices = devices_of(outcome);
  const bool is_exact =
      !devices.empty() && std::ranges::all_of(devices, [](const ShownDevice& shown) {
        return shown.device->label == replay::FidelityLabel::exact;
      });
  const std::uint64_t waiting = waiting_frees_of(devices);
  const bool is_certain = is_exact && outcome.reserved.empty() && modelled.empty() &&
                          others.empty() && reads.empty() && waiting == 0;
  if (lacks_notes(outcome))
    add_line(text, "certainty",
             "not known: " + ending_signal(outcome) +
                 " ended the program before it told what it read of the GPU");
  else if (is_certain && no_kernels.empty())
    add_line(text, "certainty",
             beside.empty()
                 ? "exact: nothing was asked that a GPU answers otherwise"
                 : "exact: no peak depends on " + named(beside) + ", which a GPU has otherwise");
  if (!no_kernels.empty()) add_line(text, "no kernels", no_kernels);
  if (!modelled.empty()) add_line(text, "modelled", named(modelled));
  add_waiting_frees(text, waiting);
  if (!reads.empty())
    add_line(text, "host reads",
             std::to_string(reads.size()) + (reads.size() == 1 ? " place reads" : " places read") +
                 " values of the GPU, which are made up here: " + named(reads));
  add_made_up_sizes(text, outcome);
  if (!others.empty()) add_line(text, "not modelled", others);
}

/// Copies and memsets that were refused, each with its first place.
std::vector<CountedSubject> out_of_bounds_of(const DryRunOutcome& outcome) {
  std::map<std::string, std::uint64_t> counts;
  for (const DryRunProcess& process : outcome.processes)
    for (const Note* const note : process.notes.of_kind("out_of_bounds")) {
      std::string text = note->subject;
      if (!note->places.empty()) text += ", at " + short_place(note->places.front().place);
      counts[text] += note->count;
    }
  return most_first(counts);
}

void add_out_of_bounds(std::string& text, const DryRunOutcome& outcome) {
  const auto refused = out_of_bounds_of(outcome);
  if (!refused.empty()) add_line(text, "out of bounds", listed(refused, "; "));
}

/// Processes for which only the driver's account is known. Processes that used no memory are left
/// out.
std::string hookless_text(const DryRunOutcome& outcome) {
  std::string text;
  for (const DryRunProcess& process : outcome.processes) {
    if (!process.notes.has_driver_notes || process.notes.python || !process.notes.trace.empty())
      continue;
    std::uint64_t most = 0;
    for (const NotedGpu& gpu : process.notes.gpus) most = std::max(most, gpu.peak_used_bytes);
    if (most == 0) continue;
    text += (text.empty() ? "" : "; ") + std::string("process ") +
            std::to_string(process.notes.process) + " used up to " + format_bytes(Bytes{most});
  }
  return text;
}

void add_troubles(std::string& text, const DryRunOutcome& outcome) {
  std::vector<std::string> troubles;
  const std::string signal = ending_signal(outcome);
  if (const std::string hookless = hookless_text(outcome); !hookless.empty())
    troubles.push_back("no history: " + hookless +
                       (signal.empty()
                            ? " (its calls went past the recorder, as with RTLD_DEEPBIND)"
                            : " before it was ended by " + signal));
  troubles.insert(troubles.end(), outcome.troubles.begin(), outcome.troubles.end());
  for (const DryRunProcess& process : outcome.processes)
    if (process.notes.python)
      for (const std::string& trouble : process.notes.python->troubles) troubles.push_back(trouble);
  if (troubles.empty()) return;
  add_line(
      text, "trouble",
      troubles.front() +
          (troubles.size() > 1 ? " (and " + std::to_string(troubles.size() - 1) + " more)" : ""));
}

void add_histories(std::string& text, const DryRunOutcome& outcome) {
  std::string first;
  std::size_t count = 0;
  for (const DryRunProcess& process : outcome.processes) {
    if (process.history.empty()) continue;
    if (count++ == 0) first = process.history;
  }
  if (count > 0)
    add_line(text, "history",
             first + (count > 1 ? " and " + std::to_string(count - 1) + " more" : ""));
}

/// The reason why no GPU was used; empty if one was.
std::string no_cuda_text(const DryRunOutcome& outcome) {
  bool asked = false;
  bool used = false;
  for (const DryRunProcess& process : outcome.processes) {
    asked = asked || process.notes.has_driver_notes;
    used = used || !process.findings.devices.empty() ||
           std::ranges::any_of(process.notes.gpus,
                               [](const NotedGpu& gpu) { return gpu.peak_used_bytes > 0; });
    if (process.notes.python && !process.notes.python->has_cuda)
      return "this PyTorch (" + process.notes.python->torch +
             ") was built without CUDA; the one of PyPI for Linux has it: pip install torch";
  }
  if (used) return "";
  if (asked) return "the program asked about GPUs and used no memory of any";
  const std::string signal = ending_signal(outcome);
  return signal.empty()
             ? "the program did not use CUDA"
             : "ended by " + signal +
                   " before it told anything: whether the program used CUDA is not known";
}

std::string steps_text(const DryRunOutcome& outcome) {
  for (const DryRunProcess& process : outcome.processes)
    if (process.notes.python && process.notes.python->ended_after_steps)
      return ", ended after " + std::to_string(process.notes.python->steps) + " steps";
  return "";
}

ordered_json failure_json(const replay::FoundFailure& failure) {
  return {{"event", failure.event},
          {"requested_bytes", failure.requested.count},
          {"place", text_or_null(failure.place)}};
}

ordered_json growth_json(const replay::StepGrowth& growth) {
  return {{"steps_in_round", growth.steps_in_round},
          {"rounds", growth.rounds},
          {"bytes", growth.bytes.count},
          {"parts", json_list(growth.parts, [](const replay::StepGrowth::Part& part) {
             return ordered_json{{"name", part.name}, {"bytes", part.bytes.count}};
           })}};
}

ordered_json kind_json(const replay::HeldGroup& group) {
  return {{"kind", group.key}, {"bytes", group.totals.bytes.count}};
}

ordered_json device_json(const HistoryFindings& findings, const replay::DeviceOverview& device) {
  const bool has_holder = !device.holders.empty();
  const auto growth = findings.growth.find(device.device);
  const bool grows = growth != findings.growth.end();
  return {{"device", device.device},
          {"label", fidelity_label_name(device.label)},
          {"metrics", metrics_json(device.metrics)},
          {"failures", device.failures},
          {"first_failure", or_null(device.first_failure, failure_json)},
          {"holder", has_holder ? ordered_json(device.holders.front().key) : ordered_json()},
          {"held_bytes", has_holder ? device.holders.front().totals.bytes.count : 0},
          {"allocated_at_peak_bytes", device.allocated_at_peak.count},
          {"kinds", json_list(device.kinds, kind_json)},
          {"growth", grows ? growth_json(growth->second) : ordered_json()}};
}

ordered_json place_json(const NotedPlace& place) {
  return {{"place", place.place}, {"count", place.count}};
}

ordered_json note_json(const Note& note) {
  return {{"kind", note.kind},
          {"subject", note.subject},
          {"count", note.count},
          {"last_place", text_or_null(note.last_place)},
          {"places", json_list(note.places, place_json)}};
}

ordered_json error_json(const NotedError& error) {
  return {{"type", error.type}, {"place", text_or_null(error.place)}};
}

ordered_json size_json(const NotedSize& size) {
  return {{"place", size.place}, {"count", size.count}, {"none", size.none}};
}

ordered_json python_json(const PythonNotes& python) {
  return {{"torch", text_or_null(python.torch)},
          {"torch_cuda", text_or_null(python.torch_cuda)},
          {"kernel_code", python.kernel_code},
          {"cuda_came_up", python.cuda_came_up},
          {"rank", text_or_null(python.rank)},
          {"steps", python.steps},
          {"ended_after_steps", python.ended_after_steps},
          {"error", or_null(python.error, error_json)},
          {"waits_at", text_or_null(python.waits_at)},
          {"made_up_sizes", json_list(python.sizes, size_json)},
          {"missing_functions", python.missing_functions},
          {"troubles", python.troubles}};
}

ordered_json gpu_json(const NotedGpu& gpu) {
  return {{"index", gpu.index},
          {"peak_used_bytes", gpu.peak_used_bytes},
          {"peak_managed_bytes", gpu.peak_managed_bytes},
          {"managed_at_peak_bytes", gpu.managed_at_peak_bytes},
          {"peak_with_managed_bytes", gpu.peak_with_managed_bytes}};
}

ordered_json pinned_json(const NotedPinned& pinned) {
  const auto call_json = [](const NotedPinnedCall& call) {
    return ordered_json{{"call", call.call}, {"bytes", call.bytes}};
  };
  return {{"peak_bytes", pinned.peak_bytes},
          {"count", pinned.count},
          {"calls", json_list(pinned.calls, call_json)}};
}

ordered_json process_json(const DryRunProcess& process) {
  return {{"process", process.notes.process},
          {"program", process.notes.program},
          {"history", text_or_null(process.history)},
          {"used_driver", process.notes.has_driver_notes},
          {"python", or_null(process.notes.python, python_json)},
          {"devices", json_list(process.findings.devices,
                                [&](const replay::DeviceOverview& device) {
                                  return device_json(process.findings, device);
                                })},
          {"driver", json_list(process.notes.gpus, gpu_json)},
          {"pinned", pinned_json(process.notes.pinned)},
          {"notes", json_list(process.notes.notes, note_json)}};
}

ordered_json rank_json(const RankEnd& end) {
  return {{"rank", end.rank}, {"exit_status", end.status}};
}

ordered_json limit_json(const BrokenLimit& limit) {
  return {{"limit", limit.text}, {"process", limit.process}, {"value", limit.value}};
}

}  // namespace

const DryRunProcess* DryRunOutcome::worst() const {
  const DryRunProcess* worst = nullptr;
  Bytes most;
  for (const DryRunProcess& process : processes) {
    const replay::DeviceOverview* const device = process.findings.worst();
    if (device == nullptr) continue;
    if (worst != nullptr && device->metric("peak_reserved") <= most) continue;
    worst = &process;
    most = device->metric("peak_reserved");
  }
  return worst;
}

bool DryRunOutcome::ran_out_of_memory() const {
  return std::ranges::any_of(
      processes, [](const DryRunProcess& process) { return process.findings.ran_out_of_memory(); });
}

bool DryRunOutcome::went_out_of_bounds() const {
  return std::ranges::any_of(processes, [](const DryRunProcess& process) {
    return !process.notes.of_kind("out_of_bounds").empty();
  });
}

std::string gpu_text(const DryRunArguments& arguments) {
  const auto memory = arguments.memory();
  return (arguments.gpu_count > 1 ? std::to_string(arguments.gpu_count) + " x " : std::string()) +
         (arguments.gpu.empty() ? usual_gpu : arguments.gpu) + ", " +
         (memory ? format_bytes(*memory) + " for the allocator" : "no limit of memory");
}

std::string dry_run_text(const DryRunOutcome& outcome, const DryRunArguments& arguments) {
  std::string text = "vramlab dry-run: " + gpu_text(arguments) + "; exit status " +
                     std::to_string(outcome.status) + steps_text(outcome) + "\n";
  const std::string no_cuda = no_cuda_text(outcome);
  if (!no_cuda.empty()) add_line(text, "no GPU", no_cuda);
  if (!outcome.retried_because.empty())
    add_line(text, "values", outcome.values + ", as " + outcome.retried_because);
  add_failure(text, outcome, arguments);
  add_made_up_end(text, outcome);
  add_long_loop(text, outcome);
  add_out_of_bounds(text, outcome);
  add_devices(text, outcome);
  add_driver_accounts(text, outcome);
  add_shared(text, outcome.shared);
  add_managed(text, outcome);
  add_pinned(text, outcome);
  add_holder(text, outcome);
  if (outcome.explanation) add_explanation(text, *outcome.explanation);
  if (!outcome.ran_out_of_memory()) add_what_ifs(text, outcome, arguments);
  add_certainty(text, outcome, no_kernels_text(outcome, arguments));
  for (const BrokenLimit& limit :
       std::span(outcome.broken).first(std::min<std::size_t>(1, outcome.broken.size())))
    add_line(text, "over a limit", limit.text + ": " + limit.value);
  add_troubles(text, outcome);
  add_histories(text, outcome);
  return text;
}

std::string explained_text(const DryRunOutcome& outcome) {
  std::string text;
  const auto add_all = [&](const std::string& title, const std::vector<CountedSubject>& subjects) {
    if (!subjects.empty()) text += title + "\n";
    for (const CountedSubject& subject : subjects)
      text += right(std::to_string(subject.count), 10) + "  " + shown_name(subject.text) + "\n";
  };
  add_all("places at which a value of the GPU reached the program:",
          places_of(outcome, "host_read"));
  add_all("answers that a GPU's library may give otherwise:", subjects_of(outcome, "modelled"));
  add_all("other answers of that kind, on which no peak depends:",
          subjects_of(outcome, "beside_peak"));
  add_all("copies and memsets that leave the memory they name, as CUDA refuses them:",
          out_of_bounds_of(outcome));
  add_all("functions that nothing is known of:", subjects_of(outcome, "unknown"));
  add_all("functions that no stand-in exports:", missing_functions_of(outcome));
  for (const std::string& kind : other_kinds_of(outcome))
    add_all(title_of(kind) + ":", subjects_of(outcome, kind));
  text += shared_timeline_text(outcome.shared);
  return text;
}

ordered_json reserved_json(const DryRunOutcome& outcome) {
  ordered_json ranges = ordered_json::array();
  for (const auto& [device, range] : outcome.reserved)
    ranges.push_back(
        {{"device", device}, {"least_bytes", range.least.count}, {"most_bytes", range.most.count}});
  return ranges;
}

std::string dry_run_json(const DryRunOutcome& outcome, const DryRunArguments& arguments) {
  return json_text(
      {{"schema_version", 2},
       {"program", arguments.program},
       {"exit_status", outcome.status},
       {"gpu", arguments.gpu.empty() ? usual_gpu : arguments.gpu},
       {"gpus", arguments.gpu_count},
       {"device_memory", or_null(arguments.memory())},
       {"held_by_others", arguments.held_by_others.value_or(0)},
       {"made_up_values", outcome.values},
       {"conf", or_null(arguments.conf)},
       {"out_of_memory", outcome.ran_out_of_memory()},
       {"ranks", json_list(outcome.ranks, rank_json)},
       {"processes", json_list(outcome.processes, process_json)},
       {"smallest_gpu", or_null(outcome.smallest, smallest_gpu_json)},
       {"smallest_gpu_without_paging", or_null(outcome.smallest_without_paging, smallest_gpu_json)},
       {"advice", or_null(outcome.advice, found_advice_json)},
       {"reserved_by_places", reserved_json(outcome)},
       {"explanation",
        outcome.explanation ? ordered_json(outcome.explanation->text()) : ordered_json()},
       {"broken_limits", json_list(outcome.broken, limit_json)},
       {"shared", arguments.shared ? shared_json(outcome.shared) : ordered_json()},
       {"troubles", outcome.troubles}});
}

}  // namespace vramlab::tools
