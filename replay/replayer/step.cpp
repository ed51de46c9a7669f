#include "replay/replayer/step.h"

#include <memory>
#include <utility>

#include "replay/replayer/device_replay.h"
#include "replay/replayer/pinned_replay.h"

namespace vramlab::replay {

namespace {

using Kind = traces::ProgramEventKind;

/// Rules that were announced until now belong to no step.
void forget(DeviceReplay& replay) {
  replay.take_rules();
  replay.forget_history();
}

struct Counter {
  std::string_view name;
  bool is_bytes = false;
  std::int64_t value = 0;
};

using Counters = std::vector<Counter>;

Counters counters_of(const HostStatisticValues& values) {
  return {{"active_bytes.current", true, values.active_bytes.current},
          {"active_requests.current", false, values.active_requests.current},
          {"allocated_bytes.current", true, values.allocated_bytes.current},
          {"allocations.current", false, values.allocations.current}};
}

/// Counters by name; where small and large blocks are counted apart, their sums.
Counters counters_of(const StatisticValues& values) {
  return {{"active.all.current", false, values.active.all.current},
          {"active_bytes.all.current", true, values.active_bytes.all.current},
          {"allocated_bytes.all.current", true, values.allocated_bytes.all.current},
          {"allocation.all.current", false, values.allocation.all.current},
          {"inactive_split.all.current", false, values.inactive_split.all.current},
          {"inactive_split_bytes.all.current", true, values.inactive_split_bytes.all.current},
          {"num_alloc_retries", false, values.num_alloc_retries},
          {"num_device_alloc", false, values.num_device_alloc},
          {"num_device_free", false, values.num_device_free},
          {"num_ooms", false, values.num_ooms},
          {"num_sync_all_streams", false, values.num_sync_all_streams},
          {"oversize_allocations.current", false, values.oversize_allocations.current},
          {"oversize_segments.current", false, values.oversize_segments.current},
          {"requested_bytes.all.current", true, values.requested_bytes.all.current},
          {"reserved_bytes.all.current", true, values.reserved_bytes.all.current},
          {"segment.all.current", false, values.segment.all.current}};
}

template <typename Values>
std::vector<CounterChange> changes_of(const Values& before, const Values& after) {
  const Counters old_values = counters_of(before);
  const Counters new_values = counters_of(after);
  std::vector<CounterChange> changes;
  for (std::size_t i = 0; i < new_values.size(); ++i)
    if (const Counter& counter = new_values[i]; counter.value != old_values[i].value)
      changes.push_back({counter.name, counter.is_bytes, old_values[i].value, counter.value});
  return changes;
}

class StepRecorder {
 public:
  StepRecorder(StepRange range, std::vector<Step>& steps) : range_(range), steps_(steps) {}

  /// The state at the start of a recording's device.
  void begin(DeviceReplay& replay) {
    Device& device = devices_[replay.device()];
    device.counted = replay.statistics();
    device.state.reset();
    if (range_.first == 0) device.state = replay.take_snapshot();
    forget(replay);
  }

  void add(DeviceReplay& replay, const traces::ProgramEvent& event, std::uint64_t number) {
    Device& device = devices_[replay.device()];
    note_names(device, replay, event);
    const std::size_t failures_before = std::exchange(device.failures, replay.failures().size());
    const StatisticValues counted_before = std::exchange(device.counted, replay.statistics());
    if (!range_.contains(number)) {
      device.state.reset();
      if (number + 1 == range_.first) device.state = replay.take_snapshot();
      return forget(replay);
    }
    Step& step = steps_.emplace_back();
    step.number = number;
    step.event = event;
    step.rules = replay.take_rules();
    for (const AllocatorEvent& entry : replay.take_history()) step.entries.push_back(entry);
    if (device.failures > failures_before) step.failure = replay.failures().back().figures;
    step.counters = changes_of(counted_before, device.counted);
    step.state = replay.take_snapshot();
    // Looking at it leaves an entry.
    forget(replay);
    note_blocks(step, device.names);
    if (event.kind == Kind::malloc)
      step.kept_rest =
          rest_kept(step.state, event, step.entries, step.rules, replay.engine().settings());
    if (device.state && event.kind == Kind::malloc)
      step.passed_over = blocks_passed_over(*device.state, step.state, event, step.entries,
                                            replay.engine().settings());
    device.state = step.state;
  }

  void add_host(const HostReplay& replay, const traces::ProgramEvent& event, std::uint64_t number) {
    if (const auto address = replay.address_of(event.id)) host_.names[*address] = event.id;
    const HostStatisticValues counted_before = std::exchange(host_.counted, replay.statistics());
    const std::size_t entries_before = std::exchange(host_.entries, replay.history_size());
    if (!range_.contains(number)) return;
    Step& step = steps_.emplace_back();
    step.number = number;
    step.memory = StepMemory::pinned;
    step.event = event;
    const std::vector<HostEvent> history = replay.history();
    for (std::size_t i = entries_before; i < history.size(); ++i)
      step.entries.push_back(entry_of(history[i]));
    step.counters = changes_of(counted_before, host_.counted);
    step.state = replay.state();
    note_blocks(step, host_.names);
  }

 private:
  using Names = std::map<Address, std::uint64_t>;
  struct Host {
    Names names;
    HostStatisticValues counted;
    std::size_t entries = 0;
  };
  struct Device {
    /// The last block at each address.
    Names names;
    std::size_t failures = 0;
    /// After the last event.
    StatisticValues counted;
    /// The same; empty where it was not looked at.
    std::optional<Snapshot> state = Snapshot{};
  };

  static void note_names(Device& device, const DeviceReplay& replay,
                         const traces::ProgramEvent& event);
  static void note_blocks(Step& step, const Names& names);
  static AllocatorEvent entry_of(const HostEvent& entry) {
    AllocatorEvent same;
    same.action = entry.action;
    same.address = entry.address;
    same.size = entry.size;
    same.pool = entry.pool;
    return same;
  }

  StepRange range_;
  std::vector<Step>& steps_;
  std::map<traces::DeviceIndex, Device> devices_;
  Host host_;
};

/// A restored checkpoint names its blocks from an id on.
void StepRecorder::note_names(Device& device, const DeviceReplay& replay,
                              const traces::ProgramEvent& event) {
  if (event.kind != Kind::malloc && event.kind != Kind::restore) return;
  for (std::uint64_t id = event.id;; ++id) {
    const auto address = replay.address_of(id);
    if (!address) return;
    device.names[*address] = id;
    if (event.kind == Kind::malloc) return;
  }
}

/// Sums of the state, and the names of its blocks.
void StepRecorder::note_blocks(Step& step, const Names& names) {
  for (const SnapshotSegment& segment : step.state.segments) {
    step.reserved += segment.total_size;
    step.allocated += segment.allocated_size;
    for (const SnapshotBlock& block : segment.blocks) {
      if (block.state == BlockState::inactive) continue;
      if (const auto named = names.find(block.address); named != names.end())
        step.ids.insert(*named);
    }
  }
}

}  // namespace

ReplayWatch watch_steps(StepRange range, std::vector<Step>& steps) {
  ReplayWatch watch;
  const auto recorder = std::make_shared<StepRecorder>(range, steps);
  watch.at_start = [recorder](DeviceReplay& replay) { recorder->begin(replay); };
  watch.after_event = [recorder](DeviceReplay& replay, const traces::ProgramEvent& event,
                                 std::uint64_t number) { recorder->add(replay, event, number); };
  watch.after_host_event = [recorder](const HostReplay& replay, const traces::ProgramEvent& event,
                                      std::uint64_t number) {
    recorder->add_host(replay, event, number);
  };
  return watch;
}

}  // namespace vramlab::replay
