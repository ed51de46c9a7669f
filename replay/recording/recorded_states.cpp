#include "replay/recording/recorded_states.h"

#include <algorithm>
#include <optional>

#include "allocator/options/size_rules.h"
#include "allocator/types/check.h"
#include "replay/recording/live_blocks.h"
#include "replay/recording/verify.h"
#include "replay/recording/whole_block_states.h"

namespace vramlab::replay {
namespace {

/// The whole file's; empty if no event has a time.
std::optional<std::uint64_t> first_time_us(const RecordedHistory& history) {
  std::optional<std::uint64_t> first;
  for (const DeviceHistory& device : history.devices)
    for (const AllocatorEvent& event : device.events) {
      if (event.time_us == 0) continue;
      first = std::min(first.value_or(event.time_us), event.time_us);
      break;
    }
  return first;
}

/// Empty if the first one is later.
std::optional<std::size_t> count_until(const DeviceHistory& history, std::uint64_t time_us) {
  std::size_t count = 0;
  while (count < history.events.size() && history.events[count].time_us <= time_us) ++count;
  if (count == 0) return std::nullopt;
  return count;
}

/// How many events were before the moment. `start_us`: when the file's first one was.
std::optional<std::size_t> count_at(const DeviceHistory& history, const Moment& moment,
                                    const std::optional<std::uint64_t>& start_us) {
  switch (moment.kind) {
    case MomentKind::peak:
      return sums_of(history).requested.moment();
    case MomentKind::out_of_memory: {
      const auto found = std::ranges::find(history.events, Action::oom, &AllocatorEvent::action);
      if (found == history.events.end()) return std::nullopt;
      return static_cast<std::size_t>(found - history.events.begin()) + 1;
    }
    case MomentKind::event:
      if (moment.event < history.events.size()) return moment.event + 1;
      return std::nullopt;
    case MomentKind::time:
      if (!start_us) return std::nullopt;
      return count_until(history, *start_us + moment.time_ns / 1000);
    case MomentKind::end:
      return history.events.size();
  }
  return std::nullopt;
}

std::optional<std::uint64_t> time_of(const AllocatorEvent& event) {
  if (event.time_us == 0) return std::nullopt;
  return event.time_us * 1000;
}

/// What the device had left, where that is why the last event is an out-of-memory. If it was
/// enough, a share of it that no recording says was all that was allowed.
std::optional<Bytes> device_free_at(const DeviceHistory& history, std::size_t count,
                                    const Settings& settings) {
  if (count == 0 || history.traits.lacks_device_free) return std::nullopt;
  const AllocatorEvent& last = history.events[count - 1];
  const Bytes free{last.address.value};
  if (last.action != Action::oom || free >= device_size_for_miss(last.size, settings))
    return std::nullopt;
  return free;
}

/// What a recording tells of the allocator.
FragmentationRules rules_of(const DeviceHistory& history, std::size_t count,
                            const Settings& settings) {
  FragmentationRules rules{settings};
  rules.requests.emplace(settings).add_all(history.events);
  if (rules.requests->counts().empty()) rules.requests.reset();
  rules.device_free = device_free_at(history, count, settings);
  return rules;
}

traces::StackId stack_of(const DeviceHistory& history, std::size_t event) {
  return history.stacks.empty() ? traces::StackId{} : history.stacks[event];
}

/// Finds the requests of what is in use.
void find_origins(const DeviceHistory& history, std::size_t count, DeviceState& state) {
  LiveBlocks live;
  for (std::size_t i = 0; i < count; ++i) live.apply(memory_event(history, i));
  for (const SnapshotSegment& segment : state.snapshot.segments)
    for (const SnapshotBlock& block : segment.blocks) {
      if (block.state == BlockState::inactive) continue;
      const LiveBlock* found = live.find(block.address.value);
      if (found != nullptr && found->event)
        state.origins[block.address] = {found->stack, *found->event,
                                        time_of(history.events[as_index(*found->event)])};
    }
  for (const auto& [at, stack] : stacks_from_before(history))
    state.origins[at] = {stack, std::nullopt, std::nullopt};
}

void keep_history(const DeviceHistory& history, std::size_t count, StateHistory kept,
                  DeviceState& state) {
  state.history = traces::LongSequence<AllocatorEvent>(history.events.place());
  state.stacks = traces::LongSequence<traces::StackId>(history.events.place());
  for (std::size_t i = kept == StateHistory::all || count == 0 ? 0 : count - 1; i < count; ++i) {
    state.history.push_back(history.events[i]);
    state.stacks.push_back(stack_of(history, i));
  }
}

/// After so many events.
DeviceState state_of(const DeviceHistory& history, std::size_t count, const Settings& settings,
                     Snapshot snapshot) {
  DeviceState state;
  state.device = {static_cast<std::uint32_t>(history.device)};
  state.snapshot = std::move(snapshot);
  state.names_pools = history.traits.names_pools;
  state.rules = rules_of(history, count, settings);
  find_origins(history, count, state);
  if (count > 0) state.moment = {count - 1, time_of(history.events[count - 1])};
  return state;
}

/// The end of the call that the last of so many events belongs to.
std::size_t end_of_call(const ExplainedHistory& explained, std::size_t event_count) {
  if (event_count == 0) return 0;
  const std::optional<RecordedCall> call = call_of(explained.calls, event_count - 1);
  return call ? call->end : event_count;
}

/// Requires: the history has whole blocks.
void add_whole_blocks(const DeviceHistory& history, const ExplainedHistory& explained,
                      const Settings& settings, std::size_t count, RecordedStates& found) {
  found.doubts.insert(found.doubts.end(), explained.doubts.begin(), explained.doubts.end());
  found.states.push_back(
      state_of(history, count, settings, whole_blocks_after(history, explained, count)));
}

}  // namespace

RecordedStates recorded_states(Recording& recording, const Moment& moment, StateHistory kept) {
  RecordedStates found;
  const RecordedHistory& history = recording.history();
  const VerifyConditions& conditions = recording.rules();
  const Settings& settings = conditions.settings.settings;
  const auto start_us = first_time_us(history);
  for (const DeviceHistory& device : history.devices) {
    const auto at = count_at(device, moment, start_us);
    if (!at) continue;
    // A single entry tells nothing of what came before it.
    const bool is_all_there_is = moment.kind == MomentKind::peak && device.events.size() < 2;
    if (is_all_there_is)
      found.doubts.push_back("device " + std::to_string(device.device) +
                             ": this is the end, the only state in the file");
    if (moment.kind == MomentKind::end || is_all_there_is) {
      DeviceState state = state_of(device, device.events.size(), settings, {device.final_segments});
      keep_history(device, device.events.size(), kept, state);
      found.states.push_back(std::move(state));
      continue;
    }
    const ExplainedHistory& explained = recording.explained(device);
    if (device.traits.has_whole_blocks) {
      add_whole_blocks(device, explained, settings, *at, found);
      continue;
    }
    const DeviceFidelity& fidelity = explained.fidelity;
    if (!explained.can_be_replayed()) {
      found.doubts.push_back("device " + std::to_string(device.device) + ": " +
                             fidelity.reasons.front());
      continue;
    }
    if (fidelity.label != FidelityLabel::exact)
      found.doubts.push_back(
          "device " + std::to_string(device.device) + ": following the recording was " +
          std::string(fidelity_label_name(fidelity.label)) + ", so this state is guessed");
    const std::size_t count = end_of_call(explained, *at);
    DeviceState state =
        state_of(device, count, settings, state_after(device, explained, conditions, *at));
    keep_history(device, count, kept, state);
    found.states.push_back(std::move(state));
  }
  return found;
}

}  // namespace vramlab::replay
