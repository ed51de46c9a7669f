#include "replay/conformance/case_verdict.h"

#include <algorithm>
#include <limits>

#include "replay/conformance/snapshot_differences.h"
#include "traces/model/call_forms.h"

namespace vramlab::replay {
namespace {

using traces::RecordedProgram;

std::size_t history_size_after(const RecordedProgram& program, const CaseSetup& setup,
                               std::size_t call_count) {
  CaseRun run(program, setup);
  run.run_until(call_count);
  return run.subject().history().size();
}

/// The call that caused a trace entry, found by running the program again up to different calls.
/// Empty if the entry was never made.
std::optional<std::int64_t> call_of_entry(const RecordedProgram& program, const CaseSetup& setup,
                                          std::size_t entry) {
  // The calls before `low` made too few entries; those from `high` on made enough.
  std::size_t low = 0;
  std::size_t high = program.calls.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (history_size_after(program, setup, middle + 1) > entry)
      high = middle;
    else
      low = middle + 1;
  }
  if (low == program.calls.size()) return std::nullopt;
  return static_cast<std::int64_t>(low);
}

/// The difference to look at first: that of the earliest call, else the first one.
const Difference& earliest(const std::vector<Difference>& differences) {
  return *std::ranges::min_element(differences, {}, [](const Difference& difference) {
    return difference.call.value_or(std::numeric_limits<std::int64_t>::max());
  });
}

std::string text_of_call(const RecordedProgram& program, std::int64_t call) {
  if (call < 0) return "the start, with the options \"" + program.config + "\"";
  const traces::ProgramEvent& made = program.calls.at(static_cast<std::size_t>(call));
  return call_text(made, program.text_of(made));
}

std::string segments_near(const RecordedProgram& program, const CaseSetup& setup,
                          const Difference& difference) {
  const auto end = static_cast<std::int64_t>(program.calls.size());
  CaseRun run(program, setup);
  run.run_until(
      static_cast<std::size_t>(std::clamp<std::int64_t>(difference.call.value_or(end), 0, end)));
  return segment_map(run.subject().take_snapshot(), difference.address.value_or(Address{}));
}

}  // namespace

CaseVerdict judge_case(const traces::RecordedCase& recorded, const CaseSetup& setup) {
  const RecordedProgram& program = recorded.program;
  CaseRun run(program, setup);
  run.run_until(program.calls.size());
  CaseVerdict verdict;
  verdict.name = program.name;
  verdict.differences = find_differences(recorded, run.finish());
  if (verdict.passed()) return verdict;

  for (Difference& difference : verdict.differences)
    if (difference.trace_entry)
      difference.call = call_of_entry(program, setup, *difference.trace_entry);
  const Difference& first = earliest(verdict.differences);
  verdict.first_call = first.call;
  if (first.call) verdict.call_text = text_of_call(program, *first.call);
  verdict.segments = segments_near(program, setup, first);
  return verdict;
}

std::string verdict_text(const CaseVerdict& verdict) {
  if (verdict.passed()) return verdict.name + ": passed\n";
  std::string text = verdict.name + ": failed";
  text += verdict.first_call ? " first at call " + std::to_string(*verdict.first_call) + ": " +
                                   verdict.call_text + "\n"
                             : " at the end\n";
  for (const Difference& difference : verdict.differences) {
    text += "  " + difference.where;
    if (difference.call) text += " (call " + std::to_string(*difference.call) + ")";
    text +=
        "\n    expected  " + difference.expected + "\n    actual    " + difference.actual + "\n";
  }
  return text + (verdict.first_call ? "segments before that call:\n" : "segments at the end:\n") +
         verdict.segments;
}

}  // namespace vramlab::replay
