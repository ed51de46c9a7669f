#include "replay/cases/case_differences.h"

#include "replay/cases/difference_parts.h"

namespace vramlab::replay {
namespace {

/// A case whose calls cannot all be made differs from its recording, whatever was answered before.
std::optional<Difference> end_difference(const ComparedCase& compared) {
  const std::optional<RunStop>& stop = compared.actual.stop;
  if (!stop) return std::nullopt;
  return Difference{.where = place_in("ops", stop->call),
                    .expected = "a call that can be made",
                    .actual = stop->reason,
                    .call = static_cast<std::int64_t>(stop->call),
                    .address = {},
                    .trace_entry = {}};
}

constexpr auto parts = {
    end_difference,
    results_difference,
    trace_difference,
    trace_pools_difference,
    snapshots_difference,
    restores_difference,
    final_snapshot_difference,
    statistics_difference,
    device_calls_difference,
    message_difference,
    config_failures_difference,
    malloc_failures_difference,
};

}  // namespace

std::vector<Difference> find_differences(const traces::RecordedCase& recorded,
                                         const CaseAnswers& actual) {
  std::vector<Difference> differences;
  for (const auto part : parts)
    if (auto difference = part({recorded, actual})) differences.push_back(*std::move(difference));
  return differences;
}

std::optional<std::int64_t> nth_call(const traces::RecordedProgram& program,
                                     traces::ProgramEventKind kind, std::size_t n) {
  for (std::size_t i = 0; i < program.calls.size(); ++i)
    if (program.calls[i].kind == kind && n-- == 0) return static_cast<std::int64_t>(i);
  return std::nullopt;
}

}  // namespace vramlab::replay
