#include "replay/recording/recorded_states.h"

#include <algorithm>
#include <optional>

#include "allocator/options/size_rules.h"
#include "allocator/types/check.h"
#include "replay/recording/followed_blocks.h"
#include "replay/recording/history_checks.h"
#include "replay/recording/placed_events.h"

namespace vramlab::replay {
namespace {

/// The first time in the whole file; empty if no event has a time.
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

/// How many events were up to the time; empty if the first one is later.
std::optional<std::size_t> count_until(const DeviceHistory& history, std::uint64_t time_us) {
  std::size_t count = 0;
  while (count < history.events.size() && history.events[count].time_us <= time_us) ++count;
  if (count == 0) return std::nullopt;
  return count;
}

/// How many events were done when the most was allocated or reserved.
std::optional<std::size_t> count_at_peak(Recording& recording, const DeviceHistory& history,
                                         MomentKind peak) {
  if (!impossible_part(history).empty()) return 0;
  // The state at the peak needs it explained anyway.
  const ExplainedHistory& explained =
      history.traits.has_whole_blocks ? recording.walk(history) : recording.explained(history);
  const RecordedPeaks peaks = find_peaks(history, explained);
  return peak == MomentKind::peak ? peaks.allocated.step : peaks.reserved.step;
}

/// How many events were before the moment. `start_us`: when the file's first one was.
std::optional<std::size_t> count_at(Recording& recording, const DeviceHistory& history,
                                    const Moment& moment,
                                    const std::optional<std::uint64_t>& start_us) {
  switch (moment.kind) {
    case MomentKind::peak:
    case MomentKind::peak_reserved:
      return count_at_peak(recording, history, moment.kind);
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

/// The free memory of the device, if it is why the last event is an out-of-memory. If it was
/// enough, the program was allowed only a share of it, which no recording says.
std::optional<Bytes> device_free_at(const DeviceHistory& history, std::size_t count,
                                    const Settings& settings) {
  if (count == 0 || history.traits.lacks_device_free) return std::nullopt;
  const AllocatorEvent& last = history.events[count - 1];
  const Bytes free{last.address.value};
  if (last.action != Action::oom || free >= device_size_for_miss(last.size, settings))
    return std::nullopt;
  return free;
}

/// The rules of the allocator as far as a recording tells them.
FragmentationRules rules_of(const DeviceHistory& history, std::size_t count,
                            const Settings& settings) {
  FragmentationRules rules{settings};
  rules.requests.emplace(settings).add_all(history.events.all());
  if (rules.requests->counts().empty()) rules.requests.reset();
  rules.device_free = device_free_at(history, count, settings);
  return rules;
}

/// Finds the requests of blocks in use.
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

/// The state after `count` events.
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

/// The end of the call that the last of the first `event_count` events belongs to.
std::size_t end_of_call(const ExplainedHistory& explained, std::size_t event_count) {
  if (event_count == 0) return 0;
  const std::optional<RecordedCall> call = call_of(explained.calls, event_count - 1);
  return call ? call->end : event_count;
}

/// The last step up to a count that has a place.
class LastStep : public FollowedBlocks {
 public:
  LastStep(const DeviceHistory& history, const HistoryWalk& walk, HistoryStep most)
      : FollowedBlocks(history, walk), most_(most) {}
  HistoryStep step() const { return step_; }

 private:
  void moment_passed(const MomentFigures& figures, const PlacementBlocks&) override {
    if (figures.step <= most_) step_ = figures.step;
  }

  HistoryStep most_;
  HistoryStep step_ = 0;
};

class StateAtStep : public FollowedBlocks {
 public:
  StateAtStep(const DeviceHistory& history, const HistoryWalk& walk, HistoryStep step)
      : FollowedBlocks(history, walk), step_(step) {}
  Snapshot take() { return std::move(snapshot_); }

 private:
  void moment_passed(const MomentFigures& figures, const PlacementBlocks& blocks) override {
    if (figures.step == step_) snapshot_ = snapshot_of(blocks, *this, walk().pools);
  }

  HistoryStep step_;
  Snapshot snapshot_;
};

/// The state of whole blocks, as those of pinned memory, after `count` events or after the last of
/// them that has a place. Following them needs none of the rules of a device's allocator.
Snapshot whole_blocks_after(const DeviceHistory& history, const HistoryWalk& walk,
                            HistoryStep count) {
  LastStep last(history, walk, count);
  watch_placements(history, walk, last);
  StateAtStep state(history, walk, last.step());
  watch_placements(history, walk, state);
  return state.take();
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
    const auto at = count_at(recording, device, moment, start_us);
    if (!at) continue;
    const bool is_all_there_is = is_peak(moment.kind) && device.events.empty();
    if (is_all_there_is)
      found.doubts.push_back("device " + std::to_string(device.device) +
                             ": this is the end, the only state in the file");
    if (moment.kind == MomentKind::end || is_all_there_is) {
      DeviceState state = state_of(device, device.events.size(), settings, {device.final_segments});
      keep_history(device, device.events.size(), kept, state);
      found.states.push_back(std::move(state));
      continue;
    }
    if (device.traits.has_whole_blocks) {
      add_whole_blocks(device, recording.walk(device), settings, *at, found);
      continue;
    }
    const ExplainedHistory& explained = recording.explained(device);
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
    if (settings.expandable_reserve && explained.placements.reservation != unknown_reservation)
      state.rules.new_reservation = explained.placements.reservation;
    keep_history(device, count, kept, state);
    const auto failed =
        count == 0 ? explained.failed_pools.end() : explained.failed_pools.find(count - 1);
    if (failed != explained.failed_pools.end()) state.failed_pool = failed->second;
    found.states.push_back(std::move(state));
  }
  return found;
}

namespace {

using traces::KnownText;
using traces::SnapshotSection;
using traces::StackId;
using traces::TextId;
using traces::TraceEntry;

traces::KeySet keys_of(std::initializer_list<KnownText> keys) {
  traces::KeySet set;
  for (const KnownText key : keys) set.add(key);
  return set;
}

KnownText word_of(BlockState state) {
  switch (state) {
    case BlockState::active_allocated:
      return KnownText::active_allocated;
    case BlockState::active_pending_free:
      return KnownText::active_pending_free;
    case BlockState::inactive:
      return KnownText::inactive;
  }
  return KnownText::empty;
}

traces::BlockValue value_of(const SnapshotBlock& block, const DeviceState& state) {
  traces::BlockValue value;
  value.keys = keys_of({KnownText::address, KnownText::size, KnownText::requested_size,
                        KnownText::state, KnownText::frames});
  value.address = block.address;
  value.size = block.size;
  value.requested_size = block.requested;
  value.state = TextId(word_of(block.state));
  const auto origin = state.origins.find(block.address);
  if (block.state != BlockState::inactive && origin != state.origins.end())
    value.stack = origin->second.stack;
  return value;
}

traces::SegmentValue value_of(const SnapshotSegment& segment, const DeviceState& state) {
  traces::SegmentValue value;
  value.keys =
      keys_of({KnownText::device, KnownText::address, KnownText::total_size,
               KnownText::allocated_size, KnownText::active_size, KnownText::requested_size,
               KnownText::stream, KnownText::segment_type, KnownText::segment_pool_id,
               KnownText::is_expandable, KnownText::frames, KnownText::blocks});
  value.device = state.device.value;
  value.address = segment.address;
  value.total_size = segment.total_size;
  value.allocated_size = segment.allocated_size;
  value.active_size = segment.active_size;
  value.requested_size = segment.requested_size;
  value.stream = segment.stream;
  value.segment_type =
      TextId(segment.kind == PoolKind::small ? KnownText::small : KnownText::large);
  value.pool = segment.pool;
  value.is_expandable = segment.is_expandable;
  for (const SnapshotBlock& block : segment.blocks) value.blocks.push_back(value_of(block, state));
  return value;
}

TraceEntry value_of(const AllocatorEvent& event, StackId stack, bool names_pools) {
  TraceEntry entry;
  const bool is_oom = event.action == Action::oom;
  entry.keys = keys_of({KnownText::action, is_oom ? KnownText::device_free : KnownText::addr,
                        KnownText::size, KnownText::stream, KnownText::time_us, KnownText::frames});
  if (names_pools) entry.keys.add(KnownText::pool_id);
  entry.pool = event.pool;
  entry.action = TextId(text_of(event.action));
  if (is_oom)
    entry.device_free = {event.address.value};
  else
    entry.address = event.address;
  entry.size = event.size;
  entry.stream = event.stream;
  entry.time_us = event.time_us;
  entry.stack = stack;
  return entry;
}

void write_history(const DeviceState& state, traces::SnapshotSink& sink) {
  for (std::size_t i = 0; i < state.history.size(); ++i) {
    const StackId stack = i < state.stacks.size() ? state.stacks[i] : StackId{};
    sink.trace_entry(state.device, value_of(state.history[i], stack, state.names_pools));
  }
}

traces::GenericPointer text_value(TextId text) {
  return std::make_shared<traces::GenericValue>(traces::GenericValue{text, 0});
}

}  // namespace

traces::GenericPointer settings_value(const std::string& options, traces::TextTable& texts) {
  traces::GenericDict settings;
  settings.items.emplace_back(text_value(texts.intern("PYTORCH_CUDA_ALLOC_CONF")),
                              text_value(texts.intern(options)));
  return std::make_shared<traces::GenericValue>(traces::GenericValue{settings, 1});
}

void write_states(std::span<const DeviceState> states, const traces::GenericPointer& settings,
                  traces::SnapshotSink& sink) {
  sink.section(SnapshotSection::segments);
  for (const DeviceState& state : states)
    for (const SnapshotSegment& segment : state.snapshot.segments)
      sink.segment(value_of(segment, state));
  sink.section(SnapshotSection::device_traces);
  // The list of traces is by device, so those without a state have an empty one.
  std::uint32_t next = 0;
  for (const DeviceState& state : states) {
    for (; next < state.device.value; ++next) sink.device_trace({next});
    sink.device_trace(state.device);
    next = state.device.value + 1;
    write_history(state, sink);
  }
  if (!settings) return;
  sink.section(SnapshotSection::allocator_settings);
  sink.settings(settings);
}

}  // namespace vramlab::replay
