#include "replay/call_sites/sized_events.h"

#include <map>
#include <unordered_set>
#include <utility>

#include "allocator/types/check.h"
#include "replay/recording/history_checks.h"
#include "replay/recording/placed_events.h"
#include "replay/replayer/device_replay.h"
#include "replay/replayer/replayer.h"

namespace vramlab::replay {
namespace {

using traces::ProgramEvent;

/// Passes a device's history on, with its labels between the events.
class HistoryEvents : public PlacedEvents {
 public:
  HistoryEvents(const DeviceHistory& history, const StartedHistory* started, MemoryEventSink& sink)
      : PlacedEvents(history, started), history_(history), sink_(sink), labels_(history, sink) {}

  void pass_all() {
    run();
    labels_.pass_until(history_.events.size());
  }

 private:
  void block_was_before(const LiveBlock& block) override {
    sink_.earlier_block(history_.device, block);
  }
  void passed(const MemoryEvent& event) override {
    labels_.pass_until(event.number);
    sink_.memory_event(event);
  }
  void most_is_reserved() override { sink_.most_is_reserved(history_.device); }

  const DeviceHistory& history_;
  MemoryEventSink& sink_;
  LabelEvents labels_;
};

SizedEvents pass_sized_history(Recording& recording, MemoryEventSink& sink) {
  SizedEvents passed;
  for (const DeviceHistory& device : recording.history().devices) {
    sink.device_seen(device.device);
    pass_end(device, sink);
    const StartedHistory* started = nullptr;
    if (std::string reason = impossible_part(device); reason.empty())
      started = &recording.started(device);
    else
      passed.notes.push_back("device " + std::to_string(device.device) + ": " + reason +
                             ", so the sizes are those of requests, rounded up");
    if (started != nullptr) sink.sizes_are_known(device.device);
    HistoryEvents(device, started, sink).pass_all();
  }
  return passed;
}

/// The block in use at an address of a replay.
const allocator::Block& block_at(const DeviceReplay& replay, Address at) {
  const auto& core = replay.engine().core();
  return core.blocks[core.live_at(at)];
}

/// Passes a program's events on while they are replayed.
class ReplayedEvents {
 public:
  ReplayedEvents(const Recording& recording, MemoryEventSink& sink)
      : recording_(recording), events_(recording.file(), recording.tables(), sink), sink_(sink) {}

  ReplayWatch watch() {
    ReplayWatch watch;
    watch.before_event = [this](ProgramEvent& event, std::uint64_t number) {
      if (number == 0) begin();
      pass_unreplayed();
      waiting_ = event;
    };
    watch.after_event = [this](const DeviceReplay& replay, const ProgramEvent& event,
                               std::uint64_t /*number*/) {
      waiting_.reset();
      pass_replayed(replay, event);
    };
    return watch;
  }

  /// The number of events. The last one may be one that is not replayed.
  std::uint64_t finish() {
    pass_unreplayed();
    if (events_.event_count() == 0) begin();
    return events_.event_count();
  }

 private:
  void begin() {
    events_.header(recording_.header());
    for (const traces::TraceDevice& device : recording_.header().devices)
      sink_.sizes_are_known(device.index.value);
  }

  /// An event that no device heard of, such as those after the end of a replay.
  void pass_unreplayed() {
    if (!waiting_) return;
    MemoryEvent told = events_.event_of(*std::exchange(waiting_, std::nullopt));
    if (told.kind == MemoryEventKind::allocated) not_granted_.insert(told.block.key);
    if (told.kind != MemoryEventKind::failed) told.kind = MemoryEventKind::other;
    events_.pass(told);
  }

  void pass_replayed(const DeviceReplay& replay, const ProgramEvent& event) {
    const std::int64_t device = replay.device().value;
    if (most_reserved_.try_emplace(device).second) sink_.sizes_are_known(device);
    MemoryEvent told = events_.event_of(event);
    if (told.kind == MemoryEventKind::allocated)
      grant(replay, told);
    else if (told.kind == MemoryEventKind::freed && not_granted_.erase(told.block.key) > 0)
      told.kind = MemoryEventKind::other;
    events_.pass(told);
    if (told.kind == MemoryEventKind::restored) pass_restored(replay, event, told);
    note_reserved(replay);
  }

  void grant(const DeviceReplay& replay, MemoryEvent& told) {
    if (const auto at = replay.address_of(told.block.key)) {
      told.block.bytes = block_at(replay, *at).size();
      return;
    }
    not_granted_.insert(told.block.key);
    told.kind = told.block.requested > Bytes{} ? MemoryEventKind::failed : MemoryEventKind::other;
  }

  /// Blocks that a checkpoint brought back have the ids from that of the event on.
  void pass_restored(const DeviceReplay& replay, const ProgramEvent& event,
                     const MemoryEvent& told) {
    RestoredBlocks restored;
    restored.event = told;
    restored.is_live = [&](std::uint64_t id) { return replay.address_of(id).has_value(); };
    for (std::size_t i = 0; i < replay.restored_count(); ++i) {
      const std::uint64_t id = event.id + i;
      const auto at = replay.address_of(id);
      check(at.has_value(), "a restored block has an address");
      const allocator::Block& block = block_at(replay, *at);
      LiveBlock created;
      created.key = id;
      created.requested = block.requested;
      created.bytes = block.size();
      created.stream = replay.engine().core().lane_of(block).stream;
      created.pool = event.pool;
      created.stack = event.stack;
      created.event = told.number;
      created.time_ns = told.time_ns;
      restored.created.push_back(created);
    }
    sink_.restored(told.device, restored);
  }

  void note_reserved(const DeviceReplay& replay) {
    const allocator::Statistics& counted = replay.engine().listeners();
    std::int64_t& most = most_reserved_[replay.device().value];
    if (counted.peak_reserved_bytes() <= most) return;
    most = counted.peak_reserved_bytes();
    sink_.most_is_reserved(replay.device().value);
  }

  const Recording& recording_;
  ProgramMemoryEvents events_;
  MemoryEventSink& sink_;
  /// An event that was read and not replayed yet.
  std::optional<ProgramEvent> waiting_;
  /// Ids of requests that got nothing: their frees free nothing.
  std::unordered_set<std::uint64_t> not_granted_;
  std::map<std::int64_t, std::int64_t> most_reserved_;
};

SizedEvents pass_program_replayed(Recording& recording, MemoryEventSink& sink) {
  ReplayConditions as_in_file;
  as_in_file.version = recording.asked_version();
  as_in_file.backend = ChosenBackend::native;
  as_in_file.on_out_of_memory = OnOutOfMemory::skip;
  as_in_file.scratch = recording.scratch();
  ReplayedEvents replayed(recording, sink);
  const ReplayReport report = Replayer(recording).run(as_in_file, replayed.watch());
  SizedEvents passed;
  passed.event_count = replayed.finish();
  const allocator::Settings chosen =
      settings_of(recording.header().settings, *allocator::find_reference_version(report.reference),
                  recording.file());
  if (chosen.backend != allocator::Backend::native)
    passed.notes.emplace_back(
        "blocks are as large as PyTorch's own allocator makes them, though the options choose "
        "another one");
  return passed;
}

SizedEvents pass_pinned_program(Recording& recording, MemoryEventSink& sink) {
  ProgramMemoryEvents events(recording.file(), recording.tables(), sink, recording.memory());
  pass_program(recording, events);
  return {events.event_count(), {}};
}

}  // namespace

SizedEvents pass_sized_events(Recording& recording, MemoryEventSink& sink) {
  if (!recording.is_program()) return pass_sized_history(recording, sink);
  if (recording.memory() == traces::ShownMemory::host) return pass_pinned_program(recording, sink);
  return pass_program_replayed(recording, sink);
}

}  // namespace vramlab::replay
