#include "replay/explain/failure_explanation.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "allocator/options/size_rules.h"
#include "replay/explain/device_overview.h"

namespace vramlab::replay {
namespace {

MemoryShare share_of(const DeviceState& state) {
  return state.rules.allowed ? MemoryShare::limited : MemoryShare::whole;
}

StateFigures figures_of_state(const DeviceState& state) {
  return find_fragmentation(state.snapshot, state.rules).total;
}

}  // namespace

std::optional<Bytes> FailureExplanation::capacity() const {
  std::optional<Bytes> most = story.allowed;
  if (story.refused.device_free && !story.is_limited_by_unknown_share) {
    const Bytes all = figures_of_state(state).reserved + *story.refused.device_free;
    most = std::min(most.value_or(all), all);
  }
  return most;
}

Bytes FailureExplanation::least_for_any_setting() const {
  return figures_of_state(state).requested + asked();
}

bool FailureExplanation::can_a_setting_help() const {
  const auto most = capacity();
  return !most || least_for_any_setting() <= *most;
}

const TriedOptions* FailureExplanation::passing() const {
  const TriedOptions* best = nullptr;
  for (const TriedOptions& one : tried)
    if (one.passes && (best == nullptr || (one.runs_through && !best->runs_through))) best = &one;
  return best;
}

ReplayTry tries_of(const Replayer& replayer, const ReplayConditions& asked) {
  return [&replayer, asked](const ReplayChange& change) {
    ReplayConditions conditions = asked;
    if (change.memory) conditions.memory = change.memory;
    if (change.options) conditions.options = change.options;
    return replayer.figures(conditions);
  };
}

ReplayTry tries_of(Recording& recording, const ReplayConditions& asked) {
  std::shared_ptr<const Replayer> replayer;
  return [&recording, asked, replayer](const ReplayChange& change) mutable {
    if (!replayer) replayer = std::make_shared<Replayer>(recording);
    return tries_of(*replayer, asked)(change);
  };
}

std::optional<FailureExplanation> explain_recorded(const DeviceState& state, const ReplayTry& tries,
                                                   const traces::SnapshotTables& tables,
                                                   std::set<std::uint64_t> went_on_after) {
  const auto refused = refused_by(state);
  if (!refused) return std::nullopt;
  FailureExplanation explained{state, explain_out_of_memory(state, *refused)};
  if (!state.stacks.empty()) explained.stack = state.stacks[state.stacks.size() - 1];
  explained.place = line_of(explained.stack, tables);
  if (tries && explained.can_a_setting_help())
    explained.tried =
        try_likely_options(tries, {state.device, refused->event, std::move(went_on_after)},
                           state.rules.settings, share_of(state));
  return explained;
}

FailureExplanation explain_replayed(const DeviceState& state, const DeviceReport& report,
                                    const ReplayTry& tries, const traces::SnapshotTables& tables) {
  const FailedRequest& failure = report.failures.front();
  const Bytes rounded = failure.figures.request < allocator::request_limit
                            ? round_request(failure.figures.request, state.rules.settings)
                            : failure.figures.request;
  const RefusedRequest refused{failure.event, failure.figures.request,    rounded, failure.stream,
                               default_pool,  failure.figures.device_free};
  FailureExplanation explained{state, explain_out_of_memory(state, refused), failure.stack,
                               line_of(failure.stack, tables), report.memory};
  if (!tries) return explained;
  const FailedAt failed{state.device, failure.event};
  explained.least_memory =
      least_memory(tries, failed, report.memory,
                   explained.story.shortfall.value_or(explained.story.device_size));
  if (explained.can_a_setting_help())
    explained.tried = try_likely_options(tries, failed, state.rules.settings, share_of(state));
  return explained;
}

}  // namespace vramlab::replay
