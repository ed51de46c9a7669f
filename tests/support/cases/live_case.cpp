#include "tests/support/cases/live_case.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "allocator/types/bytes_and_ids.h"
#include "replay/conformance/case_differences.h"
#include "replay/conformance/case_run.h"
#include "replay/conformance/live_beside_simulated.h"
#include "replay/replayer/subjects.h"

namespace vramlab::tests {
namespace {

using namespace replay;

using allocator::MallocResult;

CaseAnswers run(const traces::RecordedProgram& program, const MakeDevice& make) {
  DeviceCaseRun run(program, {make_engine_subject, CaseStreams::counters, make});
  run.run_until(program.calls.size());
  return run.finish();
}

MakeDevice noting(const MakeDevice& make, std::vector<DeviceAction>& log) {
  return [&make, &log](const streams::MemoryOptions& memory) { return logged(make(memory), log); };
}

std::string result_text(const MallocResult& result) {
  if (result) return name_of(result.address);
  return "outcome " + std::to_string(static_cast<int>(result.outcome));
}

/// Sentences about differences.
struct Differences {
  std::vector<std::string> found;

  /// Tells of the first entry that differs, or the first one too many.
  template <class List, class Same, class Text>
  void compare_lists(const char* name, const List& simulated, const List& live, const Same& same,
                     const Text& text) {
    const std::size_t most = std::max(simulated.size(), live.size());
    for (std::size_t i = 0; i < most; ++i) {
      if (i < simulated.size() && i < live.size() && same(simulated[i], live[i])) continue;
      const auto at = [&](const List& list) {
        return i < list.size() ? text(list[i]) : std::string("none");
      };
      found.push_back(std::string(name) + "[" + std::to_string(i) + "]: simulated " +
                      at(simulated) + ", live " + at(live));
      return;
    }
  }

  void compare_snapshots(const std::string& name, const allocator::Snapshot& simulated,
                         const allocator::Snapshot& live) {
    if (const auto difference = find_difference(simulated, live))
      found.push_back(name + difference->where + ": simulated " + difference->expected + ", live " +
                      difference->actual);
  }
};

bool is_same_restore(const allocator::RestoreResult& left, const allocator::RestoreResult& right) {
  const auto same = [](const allocator::RestoredBlock& one, const allocator::RestoredBlock& other) {
    return one.address == other.address;
  };
  return left.freed == right.freed && std::equal(left.created.begin(), left.created.end(),
                                                 right.created.begin(), right.created.end(), same);
}

std::string stop_text(const std::optional<RunStop>& stop) {
  return stop ? "stopped at call " + std::to_string(stop->call) + ": " + stop->reason
              : std::string("ran to its end");
}

}  // namespace

std::vector<std::string> live_differences(const traces::RecordedProgram& program,
                                          const replay::MakeDevice& make_live) {
  std::vector<DeviceAction> actions;
  const CaseAnswers live = run(program, noting(make_live, actions));
  PlaceRepeater places;
  places.add(actions);
  std::vector<DeviceAction> simulated_actions;
  const MakeDevice make_simulated = simulated_at(places);
  const CaseAnswers simulated = run(program, noting(make_simulated, simulated_actions));

  Differences differences;
  if (stop_text(simulated.stop) != stop_text(live.stop))
    differences.found.push_back("simulated it " + stop_text(simulated.stop) + ", live it " +
                                stop_text(live.stop));
  differences.compare_lists("device actions", simulated_actions, actions, std::equal_to<>(),
                            action_text);
  differences.compare_lists(
      "results", simulated.answers.results, live.answers.results,
      [](const MallocResult& left, const MallocResult& right) {
        return left.outcome == right.outcome && left.address == right.address;
      },
      result_text);
  differences.compare_lists(
      "trace", simulated.history, live.history, std::equal_to<>(),
      [](const allocator::AllocatorEvent& event) { return replay::text_of(event); });
  differences.compare_lists("restores", simulated.answers.restores, live.answers.restores,
                            is_same_restore, [](const auto&) { return std::string("another"); });
  const std::size_t shared =
      std::min(simulated.answers.snapshots.size(), live.answers.snapshots.size());
  for (std::size_t i = 0; i < shared; ++i)
    differences.compare_snapshots("snapshots[" + std::to_string(i) + "]",
                                  simulated.answers.snapshots[i], live.answers.snapshots[i]);
  differences.compare_snapshots("final state", simulated.final_snapshot, live.final_snapshot);
  if (simulated.final_statistics != live.final_statistics)
    differences.found.push_back("the final statistics differ");
  if (simulated.device_calls != live.device_calls)
    differences.found.push_back("the counts of device calls differ");
  return differences.found;
}

}  // namespace vramlab::tests
