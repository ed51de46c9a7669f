#include "replay/recorded_states.h"

#include <algorithm>
#include <optional>

#include "replay/verify.h"

namespace vramlab::replay {
namespace {

using allocator::Action;
using allocator::AllocatorEvent;

std::optional<std::size_t> peak_of(const DeviceHistory& history) {
  std::int64_t now = 0;
  std::int64_t highest = 0;
  std::optional<std::size_t> at;
  for (std::size_t i = 0; i < history.events.size(); ++i) {
    const AllocatorEvent& event = history.events[i];
    if (event.action == Action::alloc) now += static_cast<std::int64_t>(event.size.count);
    if (event.action == Action::free_completed) now -= static_cast<std::int64_t>(event.size.count);
    if (now <= highest) continue;
    highest = now;
    at = i;
  }
  return at;
}

std::optional<std::size_t> event_of(const DeviceHistory& history, const Moment& moment) {
  switch (moment.kind) {
    case MomentKind::peak:
      return peak_of(history);
    case MomentKind::out_of_memory: {
      const auto found = std::ranges::find(history.events, Action::oom, &AllocatorEvent::action);
      if (found == history.events.end()) return std::nullopt;
      return static_cast<std::size_t>(found - history.events.begin());
    }
    case MomentKind::event:
      if (moment.event < history.events.size()) return moment.event;
      return std::nullopt;
    case MomentKind::end:
      return history.events.size();
  }
  return std::nullopt;
}

/// History up to the event, and where what is in use then was asked for.
DeviceState state_until(const DeviceHistory& history, std::size_t count) {
  DeviceState state;
  state.device = {static_cast<std::uint32_t>(history.device)};
  state.names_pools = history.traits.names_pools;
  state.history.assign(history.events.begin(),
                       history.events.begin() + static_cast<std::ptrdiff_t>(count));
  for (std::size_t i = 0; i < count; ++i) {
    if (history.events[i].action != Action::alloc || history.stacks.empty()) continue;
    state.stacks[history.events[i].address] = history.stacks[i];
    state.request_stacks.push_back(history.stacks[i]);
  }
  return state;
}

/// Of the call that the event belongs to.
std::size_t end_of_call(const ExplainedHistory& explained, std::size_t event) {
  const auto call = std::ranges::upper_bound(explained.calls, event, {}, &RecordedCall::end);
  return call == explained.calls.end() ? event + 1 : call->end;
}

}  // namespace

RecordedStates recorded_states(const RecordedHistory& history, const traces::TextTable& texts,
                               const allocator::ReferenceVersion* version, const Moment& moment) {
  RecordedStates found;
  const bool is_guessed = version == nullptr;
  if (is_guessed) version = &guess_reference(history);
  const VerifyConditions conditions{*version, is_guessed,
                                    recorded_settings(history, texts, *version)};
  for (const DeviceHistory& device : history.devices) {
    const auto event = event_of(device, moment);
    if (!event) continue;
    if (moment.kind == MomentKind::end) {
      DeviceState state = state_until(device, device.events.size());
      state.snapshot.segments = device.final_segments;
      found.states.push_back(std::move(state));
      continue;
    }
    const ExplainedHistory explained = explain(device, conditions);
    const DeviceFidelity& fidelity = explained.fidelity;
    if (explained.placements.life_of_event.empty()) {
      found.doubts.push_back("device " + std::to_string(device.device) + ": " +
                             fidelity.reasons.front());
      continue;
    }
    if (fidelity.label != FidelityLabel::exact)
      found.doubts.push_back("device " + std::to_string(device.device) +
                             ": following the recording was " +
                             std::string(fidelity_label_name(fidelity.label)) +
                             ", so this state may differ from what was there");
    DeviceState state = state_until(device, end_of_call(explained, *event));
    state.snapshot = state_after(device, explained, conditions, *event);
    found.states.push_back(std::move(state));
  }
  return found;
}

}  // namespace vramlab::replay
