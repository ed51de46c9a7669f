#include "replay/packing/find_lifetimes.h"

#include "replay/call_sites/iterations.h"
#include "replay/replayer/device_replay.h"

namespace vramlab::replay {
namespace {

/// Notices of a program beside its requests and frees, by device.
class NoticeCollector {
 public:
  explicit NoticeCollector(const traces::TextTable& texts) : texts_(texts) {}

  /// After the event.
  void note(const DeviceReplay& replay, const traces::ProgramEvent& event) {
    using Kind = traces::ProgramEventKind;
    using Notice = AllocatorNotice::Kind;
    if (event.kind == Kind::options) {
      add(replay, {Notice::options, 0, {}, std::string(texts_.text(event.text))});
    } else if (event.kind == Kind::empty_cache) {
      add(replay, {Notice::empty_cache, 0, event.pool, {}});
    } else if (event.kind == Kind::pool_release || event.kind == Kind::pool_destroy) {
      const auto* const pool = replay.engine().core().find_private_pool(event.pool);
      if (pool != nullptr && !pool->is_freeable()) return;
      add(replay, {Notice::pool_given_up, 0, event.pool, {}});
      if (event.kind == Kind::pool_destroy) add(replay, {Notice::empty_cache, 0, event.pool, {}});
    }
  }

  std::vector<AllocatorNotice> take(std::int64_t device) {
    return std::move(notices_[static_cast<std::uint32_t>(device)]);
  }

 private:
  void add(const DeviceReplay& replay, AllocatorNotice notice) {
    const StatisticValue blocks = replay.statistics().active.all;
    notice.step = static_cast<std::uint64_t>(blocks.allocated + blocks.freed);
    notices_[replay.device().value].push_back(std::move(notice));
  }

  const traces::TextTable& texts_;
  std::map<std::uint32_t, std::vector<AllocatorNotice>> notices_;
};

void add_notes(FoundLifetimes& found) {
  for (const DeviceLifetimes& device : found.devices) {
    const std::string name = "device " + std::to_string(device.device);
    if (!device.has_history)
      found.notes.push_back(name + " has no history: only its final state is known");
    if (device.contradictions > 0)
      found.notes.push_back(name + ": " + std::to_string(device.contradictions) +
                            " blocks ended without a recorded free, so parts of this are guessed");
  }
}

class IterationRequests : public MemoryEventSink {
 public:
  IterationRequests(const IterationRule& rule, const traces::SnapshotTables& tables)
      : ends_(rule, tables) {}

  void memory_event(const MemoryEvent& event) override {
    const IterationEnds::Place place = ends_.place(event);
    if (place == IterationEnds::Place::before) note_end(event.device);
    if (event.kind == MemoryEventKind::allocated && event.block.requested.count > 0)
      ++requests_[event.device];
    if (place == IterationEnds::Place::after) note_end(event.device);
  }

  std::map<std::int64_t, std::vector<std::uint64_t>> take() { return std::move(found_); }

 private:
  void note_end(std::int64_t device) {
    if (!ends_.is_for_all_devices()) return add(device);
    add(device);
    for (const auto& [other, count] : requests_)
      if (other != device) add(other);
  }
  void add(std::int64_t device) { found_[device].push_back(requests_[device]); }

  IterationEnds ends_;
  std::map<std::int64_t, std::uint64_t> requests_;
  std::map<std::int64_t, std::vector<std::uint64_t>> found_;
};

}  // namespace

namespace {

FoundLifetimes find_in_program(Recording& recording) {
  ReplayConditions conditions;
  conditions.version = recording.asked_version();
  conditions.memory = boundless_memory;
  conditions.on_out_of_memory = OnOutOfMemory::skip;
  conditions.history_capacity = unlimited_history;
  std::vector<DeviceHistory> replayed;
  ReplayWatch watch = watch_keeping(replayed);
  NoticeCollector notices(recording.tables().texts);
  watch.after_event = [&](const DeviceReplay& device, const traces::ProgramEvent& event,
                          std::uint64_t /*number*/) { notices.note(device, event); };
  const Replayer replayer(recording);
  FoundLifetimes found;
  found.notes = replayer.run(conditions, watch).notes;
  found.version = &replayer.version();
  found.settings = replayer.settings();
  for (const DeviceHistory& device : replayed) {
    found.devices.push_back(lifetimes_of(device, found.settings));
    found.devices.back().notices = notices.take(device.device);
  }
  return found;
}

FoundLifetimes find_in_history(const RecordedHistory& history, const traces::TextTable& texts) {
  FoundLifetimes found;
  found.version = possible_references(history, texts).front();
  const SettingsInForce in_force = recorded_settings(history, texts, *found.version);
  found.settings = in_force.settings;
  if (!in_force.doubt.empty()) found.notes.push_back(in_force.doubt);
  for (const DeviceHistory& device : history.devices)
    if (!device.events.empty() || !device.final_segments.empty())
      found.devices.push_back(lifetimes_of(device, found.settings));
  return found;
}

}  // namespace

FoundLifetimes find_lifetimes(Recording& recording) {
  FoundLifetimes found = recording.is_program()
                             ? find_in_program(recording)
                             : find_in_history(recording.history(), recording.tables().texts);
  add_notes(found);
  return found;
}

std::vector<DeviceLifetimes> lifetimes_of(const Replayer& replayer,
                                          const ReplayConditions& conditions) {
  const BoundlessHistories histories = replayer.boundless_histories(conditions);
  std::vector<DeviceLifetimes> found;
  const Settings rounding =
      conditions.options ? replayer.settings_for(conditions) : histories.settings;
  for (const DeviceHistory& device : histories.devices)
    found.push_back(lifetimes_of(device, rounding));
  return found;
}

std::map<std::int64_t, std::vector<std::uint64_t>> find_iteration_ends(Recording& recording) {
  const IterationRule rule = find_iterations(recording);
  if (rule.source == IterationSource::none) return {};
  IterationRequests requests(rule, recording.tables());
  pass_memory_events(recording, requests);
  return requests.take();
}

}  // namespace vramlab::replay
