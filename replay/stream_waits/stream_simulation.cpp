#include "replay/stream_waits/stream_simulation.h"

#include <utility>

#include "replay/replayer/device_replay.h"
#include "replay/replayer/watcher_pair.h"

namespace vramlab::replay {

StreamSimulation::StreamSimulation(std::string file, const traces::SnapshotTables& tables,
                                   StreamConditions conditions, StreamListeners listeners)
    : tables_(tables),
      conditions_(std::move(conditions)),
      listeners_(std::move(listeners)),
      accesses_(std::make_shared<ProgramAccesses>(
          conditions_.finds_hazards ? ProgramAccesses::Use::hazards : ProgramAccesses::Use::none)),
      activity_(std::make_shared<StreamActivity>(listeners_.finished)),
      checker_(std::make_shared<streams::HazardChecker>(*accesses_)),
      feed_(*checker_, *accesses_),
      replay_(std::move(file), tables, conditions_.replay, watch()) {}

ReplayWatch StreamSimulation::watch() {
  conditions_.replay.timing = FreeTiming::modelled;
  conditions_.replay.history_capacity = conditions_.history_capacity;
  ReplayWatch watch;
  watch.accesses = accesses_;
  watch.streams = activity_;
  watch.at_end = [this](DeviceReplay& device) { frees_.push_back(frees_of(device)); };
  watch.after_event = [this](DeviceReplay& device, const traces::ProgramEvent& event,
                             std::uint64_t number) {
    if (conditions_.finds_hazards) feed_.add(device, *replay_.streams(), event, number);
    if (listeners_.after_event) listeners_.after_event(device, replay_.streams()->streams().now());
  };
  if (!conditions_.finds_hazards) return watch;
  watch.streams = std::make_shared<WatcherPair>(activity_, checker_);
  watch.released = [this](std::uint32_t device, streams::AddressRange range) {
    feed_.released(device, range);
  };
  return watch;
}

void StreamSimulation::program_event(const traces::ProgramEvent& event) {
  stacks_.push_back(event.stack);
  replay_.program_event(event);
}

DeviceFrees StreamSimulation::frees_of(DeviceReplay& device) const {
  const DeviceHistory history = history_of(device);
  DeviceFrees frees{waiting_cost(history), {}};
  frees.places = places_of(frees.cost.sites, tables_);
  return frees;
}

StreamReport StreamSimulation::finish() {
  StreamReport report;
  if (StreamProgram* program = replay_.streams()) {
    report.deadlock = program->finish();
    report.refused = program->refused();
    report.lost_context = program->streams().lost_context();
  }
  report.replay = replay_.finish();
  report.frees = std::move(frees_);
  report.activity = activity_->report();
  if (conditions_.finds_hazards) {
    feed_.finish(report.deadlock);
    report.hazards = checker_->hazards();
    report.unlisted_hazards = checker_->unlisted_count();
    if (feed_.ends_at())
      report.replay.notes.push_back("hazards of memory are not looked for after event " +
                                    std::to_string(*feed_.ends_at()) +
                                    ", where a checkpoint was restored");
  }
  report.block_events = accesses_->block_events();
  report.stacks = std::move(stacks_);
  return report;
}

}  // namespace vramlab::replay
