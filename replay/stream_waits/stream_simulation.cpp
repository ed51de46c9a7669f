#include "replay/stream_waits/stream_simulation.h"

#include <utility>

#include "replay/replayer/device_replay.h"
#include "replay/replayer/program_accesses.h"

namespace vramlab::replay {

using Kind = traces::ProgramEventKind;
using streams::HandleUse;
using streams::StreamAt;

void HazardFeed::add(DeviceReplay& replay, StreamProgram& program, const Event& event,
                     std::uint64_t number) {
  look_at_handles(program, event, number);
  if (event.kind == Kind::restore && !ends_at_) ends_at_ = number;
  if (event.kind == Kind::malloc) return hand_out(replay, program, event, number);
  if (ends_at_ || (event.kind != Kind::free && event.kind != Kind::use)) return;
  const auto live = live_.find(event.id);
  if (live == live_.end()) return;
  if (event.kind == Kind::use)
    return checker_.stream_uses(live->second, {event.device.value, event.stream});
  checker_.freed(live->second, {event.thread}, number);
  live_.erase(live);
}

void HazardFeed::hand_out(DeviceReplay& replay, StreamProgram& program, const Event& event,
                          std::uint64_t number) {
  const auto address = replay.address_of(event.id);
  if (!address || event.bytes.count == 0) return;
  const streams::BlockNumber block = accesses_.hand_out(event.id, number);
  if (ends_at_) return;
  live_[event.id] = block;
  const StreamAt stream{event.device.value, event.stream};
  checker_.handed_out({.block = block,
                       .range = {*address, *address + event.bytes},
                       .stream = stream,
                       .thread = {event.thread},
                       .tag = number,
                       .site = site_of(event.stack, number),
                       .is_of_graph = program.streams().capture_of(stream).has_value()});
}

void HazardFeed::look_at_handles(StreamProgram& program, const Event& event, std::uint64_t number) {
  const auto& refused = program.refused();
  const bool is_refused = refused.size() > refused_seen_;
  const streams::CudaStatus status =
      is_refused ? refused.back().status : streams::CudaStatus::success;
  refused_seen_ = refused.size();
  HandleUse use{
      .stream = {event.device.value, event.stream}, .thread = {event.thread}, .tag = number};
  const bool destroys = event.kind == Kind::stream_destroy || event.kind == Kind::event_destroy;
  if (event.kind == Kind::event_destroy) use.event = event.event;
  if (destroys && !is_refused) return checker_.destroyed(use);
  if (status != streams::CudaStatus::invalid_resource_handle) return;
  const bool names_event = event.kind >= Kind::event_create && event.kind <= Kind::event_elapsed;
  if (names_event || event.kind == Kind::event_record || event.kind == Kind::event_wait)
    if (!program.streams().has_event(event.event)) use.event = event.event;
  if (use.event || !program.streams().has_stream(use.stream)) checker_.used_after_destroy(use);
}

void HazardFeed::released(std::uint32_t device, streams::AddressRange range) {
  if (!ends_at_) checker_.released(device, range);
}

void HazardFeed::finish(const Deadlock& deadlock) {
  for (const streams::StuckWork& work : deadlock.work) checker_.waits_for_ever(work);
  for (const StuckCall& call : deadlock.threads)
    checker_.waits_for_ever({call.thread, call.since}, call.event, deadlock.work);
}

namespace {

/// Finished before the replay is made of them: the order of a call's arguments is the compiler's.
StreamConditions with_modelled_frees(StreamConditions conditions) {
  conditions.replay.timing = FreeTiming::modelled;
  conditions.replay.history_capacity = conditions.history_capacity;
  return conditions;
}

}  // namespace

StreamSimulation::StreamSimulation(std::string file, const traces::SnapshotTables& tables,
                                   StreamConditions conditions, StreamListeners listeners)
    : tables_(tables),
      conditions_(with_modelled_frees(std::move(conditions))),
      listeners_(std::move(listeners)),
      accesses_(std::make_shared<ProgramAccesses>(
          conditions_.finds_hazards ? ProgramAccesses::Use::hazards : ProgramAccesses::Use::none)),
      activity_(std::make_shared<StreamActivity>(listeners_.finished)),
      checker_(std::make_shared<streams::HazardChecker>(*accesses_)),
      feed_(*checker_, *accesses_),
      replay_(std::move(file), tables, conditions_.replay, watch()) {}

ReplayWatch StreamSimulation::watch() {
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
