#include "replay/explain/failure_explanation.h"

#include <algorithm>
#include <utility>

#include "allocator/options/size_rules.h"
#include "allocator/types/check.h"
#include "replay/explain/device_overview.h"

namespace vramlab::replay {
namespace {

MemoryShare share_of(const DeviceState& state) {
  return state.rules.allowed ? MemoryShare::limited : MemoryShare::whole;
}

StateFigures figures_of_state(const DeviceState& state) {
  return find_fragmentation(state.snapshot, state.rules).total;
}

/// Changes with which one request passes.
class FailureHelp {
 public:
  FailureHelp(const HelpSearch& search, FailedAt failed, OnOutOfMemory tries_go_on)
      : search_(search), failed_(std::move(failed)), tries_go_on_(tries_go_on) {}

  void find_least_memory(FailureExplanation& failure, Bytes memory) const {
    if (is_too_long()) return;
    failure.least_memory = least_memory(
        tries(), failed_, memory, failure.story.shortfall.value_or(failure.story.device_size));
  }

  /// Likely options first. A search over all of them asks for one under which nothing fails, so it
  /// is about a run in which one request failed.
  void find(FailureExplanation& failure, std::size_t failures_of_run) const {
    failure.options_variable = options_variable_of(search_.replayer.version());
    if (is_too_long() || !failure.can_a_setting_help()) return;
    failure.tried =
        try_likely_options(tries(), failed_, failure.state.rules.settings, share_of(failure.state));
    if (failure.passing() == nullptr && failures_of_run == 1) seek_setting(failure);
  }

 private:
  bool is_too_long() const { return event_count_of(search_.replayer) > search_.effort.most_events; }

  ReplayTry tries() const {
    ReplayConditions asked = search_.conditions;
    asked.on_out_of_memory = tries_go_on_;
    return [&replayer = search_.replayer, asked](const ReplayChange& change) {
      ReplayConditions conditions = asked;
      if (change.memory) conditions.memory = change.memory;
      if (change.options) conditions.options = change.options;
      return replayer.figures(conditions);
    };
  }

  void seek_setting(FailureExplanation& failure) const {
    const ReplayConditions& conditions = search_.conditions;
    if (event_count_of(search_.replayer) > search_.effort.most_for_advice()) return;
    const Advice advice =
        advise({&search_.replayer}, {conditions}, [&](const std::vector<AskedSetting>& settings) {
          return search_.run(search_.replayer, settings, conditions);
        });
    failure.settings_searched = advice.runs;
    if (advice.best.was_refused() || advice.best.worst().failed) return;
    failure.tried.push_back({advice.best.conf, true, true, advice.best.conf});
  }

  const HelpSearch& search_;
  FailedAt failed_;
  OnOutOfMemory tries_go_on_;
};

/// A program that ended still frees what its frames held.
bool asks_after(const DeviceHistory& history, std::uint64_t event) {
  for (std::size_t i = static_cast<std::size_t>(event) + 1; i < history.events.size(); ++i) {
    const Action action = history.events[i].action;
    if (action == Action::alloc || action == Action::oom) return true;
  }
  return false;
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

std::set<std::uint64_t> failures_before(const DeviceHistory& history, std::uint64_t event) {
  std::set<std::uint64_t> before;
  std::uint64_t number = 0;
  for (const AllocatorEvent& entry : history.events) {
    if (number == event) break;
    if (entry.action == Action::oom) before.insert(number);
    ++number;
  }
  return before;
}

std::optional<FailureExplanation> explain_recorded(const DeviceState& state, Recording& recording,
                                                   const HelpSearch* search) {
  const auto refused = refused_by(state);
  if (!refused) return std::nullopt;
  FailureExplanation explained{state, explain_out_of_memory(state, *refused)};
  if (!state.stacks.empty()) explained.stack = state.stacks[state.stacks.size() - 1];
  explained.place = line_of(explained.stack, recording.tables());
  if (search == nullptr) return explained;
  const DeviceHistory* const history = recording.device(state.device.value);
  check(history != nullptr, "the state is that of a device of the recording");
  explained.has_later_requests = asks_after(*history, refused->event);
  const FailedAt failed{state.device, refused->event, failures_before(*history, refused->event)};
  const auto went_on =
      failed.went_on_after.empty() ? search->conditions.on_out_of_memory : OnOutOfMemory::skip;
  const auto failures = std::ranges::count(history->events, Action::oom, &AllocatorEvent::action);
  FailureHelp(*search, failed, went_on).find(explained, static_cast<std::size_t>(failures));
  return explained;
}

FailureExplanation explain_replayed(const DeviceState& state, const DeviceReport& report,
                                    const traces::SnapshotTables& tables,
                                    const HelpSearch* search) {
  const FailedRequest& failure = report.failures.front();
  const Bytes rounded = failure.figures.request < allocator::request_limit
                            ? round_request(failure.figures.request, state.rules.settings)
                            : failure.figures.request;
  const RefusedRequest refused{failure.event, failure.figures.request,    rounded, failure.stream,
                               default_pool,  failure.figures.device_free};
  FailureExplanation explained{state, explain_out_of_memory(state, refused), failure.stack,
                               line_of(failure.stack, tables), report.memory};
  if (search == nullptr) return explained;
  // Another device may fail before this one.
  FailureHelp help(*search, {state.device, failure.event}, OnOutOfMemory::skip);
  help.find_least_memory(explained, report.memory);
  help.find(explained, report.failures.size());
  return explained;
}

}  // namespace vramlab::replay
