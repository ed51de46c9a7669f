#include "replay/replayer/step.h"

#include <memory>
#include <utility>

#include "replay/replayer/device_replay.h"

namespace vramlab::replay {

namespace {

using Kind = traces::ProgramEventKind;

/// Rules that were announced until now belong to no step.
void forget(DeviceReplay& replay) {
  replay.take_rules();
  replay.forget_history();
}

class StepRecorder {
 public:
  StepRecorder(StepRange range, std::vector<Step>& steps) : range_(range), steps_(steps) {}

  void add(DeviceReplay& replay, const traces::ProgramEvent& event, std::uint64_t number) {
    Device& device = devices_[replay.device()];
    note_names(device, replay, event);
    const std::size_t failures_before = std::exchange(device.failures, replay.failures().size());
    if (!range_.contains(number)) return forget(replay);
    Step& step = steps_.emplace_back();
    step.number = number;
    step.event = event;
    step.rules = replay.take_rules();
    for (const AllocatorEvent& entry : replay.take_history()) step.entries.push_back(entry);
    if (device.failures > failures_before) step.failure = replay.failures().back().figures;
    note_state(step, device, replay);
  }

 private:
  struct Device {
    /// The last block at each address.
    std::map<Address, std::uint64_t> names;
    std::size_t failures = 0;
  };

  static void note_names(Device& device, const DeviceReplay& replay,
                         const traces::ProgramEvent& event);
  static void note_state(Step& step, const Device& device, DeviceReplay& replay);

  StepRange range_;
  std::vector<Step>& steps_;
  std::map<traces::DeviceIndex, Device> devices_;
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

void StepRecorder::note_state(Step& step, const Device& device, DeviceReplay& replay) {
  step.state = replay.take_snapshot();
  for (const SnapshotSegment& segment : step.state.segments) {
    step.reserved += segment.total_size;
    step.allocated += segment.allocated_size;
    for (const SnapshotBlock& block : segment.blocks) {
      if (block.state == BlockState::inactive) continue;
      if (const auto named = device.names.find(block.address); named != device.names.end())
        step.ids.insert(*named);
    }
  }
  // Looking at it leaves an entry.
  forget(replay);
}

}  // namespace

ReplayWatch watch_steps(StepRange range, std::vector<Step>& steps) {
  ReplayWatch watch;
  const auto recorder = std::make_shared<StepRecorder>(range, steps);
  watch.at_start = forget;
  watch.after_event = [recorder](DeviceReplay& replay, const traces::ProgramEvent& event,
                                 std::uint64_t number) { recorder->add(replay, event, number); };
  return watch;
}

}  // namespace vramlab::replay
