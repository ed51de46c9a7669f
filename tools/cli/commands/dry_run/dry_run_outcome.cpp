#include "tools/cli/commands/dry_run/dry_run_outcome.h"

#include <algorithm>
#include <set>

namespace vramlab::tools {
namespace {

std::vector<CountedSubject> most_first(const std::map<std::string, std::uint64_t>& counts) {
  std::vector<CountedSubject> sorted;
  for (const auto& [text, count] : counts) sorted.push_back({text, count});
  std::ranges::stable_sort(sorted, std::greater<>(), &CountedSubject::count);
  return sorted;
}

}  // namespace

const DryRunProcess* DryRunOutcome::worst() const {
  const DryRunProcess* worst = nullptr;
  Bytes most;
  for (const DryRunProcess& process : processes) {
    const DeviceFindings* const device = process.findings.worst();
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

std::vector<CountedSubject> places_of(const DryRunOutcome& outcome, const std::string& kind) {
  std::map<std::string, std::uint64_t> counts;
  for (const DryRunProcess& process : outcome.processes)
    for (const Note* const note : process.notes.of_kind(kind))
      for (const NotedPlace& place : note->places)
        counts[place.place.empty() ? "an unknown place" : place.place] += place.count;
  return most_first(counts);
}

std::vector<CountedSubject> subjects_of(const DryRunOutcome& outcome, const std::string& kind) {
  std::map<std::string, std::uint64_t> counts;
  for (const DryRunProcess& process : outcome.processes)
    for (const Note* const note : process.notes.of_kind(kind)) counts[note->subject] += note->count;
  return most_first(counts);
}

std::vector<CountedSubject> missing_functions_of(const DryRunOutcome& outcome) {
  std::map<std::string, std::uint64_t> counts;
  for (const DryRunProcess& process : outcome.processes)
    if (process.notes.python)
      for (const std::string& name : process.notes.python->missing_functions) counts[name] = 1;
  return most_first(counts);
}

std::vector<std::string> other_kinds_of(const DryRunOutcome& outcome) {
  std::set<std::string> kinds;
  for (const DryRunProcess& process : outcome.processes)
    for (const Note& note : process.notes.notes) kinds.insert(note.kind);
  for (const char* const known : {"host_read", "modelled", "unknown"}) kinds.erase(known);
  return {kinds.begin(), kinds.end()};
}

}  // namespace vramlab::tools
