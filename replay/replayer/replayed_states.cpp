#include "replay/replayer/replayed_states.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "replay/recording/history_checks.h"
#include "replay/recording/recorded_states.h"
#include "replay/replayer/device_replay.h"
#include "replay/replayer/pinned_replay.h"
#include "replay/replayer/replayer.h"
#include "traces/io/input_error.h"

namespace vramlab::replay {
namespace {

/// In the file's clock.
std::uint64_t time_of(const Moment& moment, const ReplayReport& report, const std::string& file) {
  if (!report.first_time_ns) throw traces::InputError({file, "", "events with times", "none"});
  return *report.first_time_ns + moment.time_ns;
}

/// The last event of each device before the moment, as `report`, of a whole run, shows it.
std::map<traces::DeviceIndex, std::uint64_t> last_events(const Moment& moment,
                                                         const ReplayReport& report,
                                                         const std::string& file) {
  std::map<traces::DeviceIndex, std::uint64_t> last;
  for (const DeviceReport& device : report.devices) {
    if (moment.kind == MomentKind::event) last[device.device] = moment.event;
    if (moment.kind == MomentKind::peak) last[device.device] = device.peak_allocated.event;
    if (moment.kind == MomentKind::peak_reserved) last[device.device] = device.peak_reserved.event;
    if (moment.kind == MomentKind::out_of_memory && !device.failures.empty())
      last[device.device] = device.failures.front().event;
  }
  if (moment.kind == MomentKind::out_of_memory && last.empty())
    throw traces::InputError({file, "", "a replay that runs out of memory", "one that does not"});
  return last;
}

/// The states in which devices first are at their peaks. An event's number alone does not tell
/// them: a request that failed in the recorded run is given back under the same number, and what
/// was there at the start has the number of the first event.
class PeakStates {
 public:
  PeakStates(MomentKind kind, const ReplayReport& report) : kind_(kind) {
    for (const DeviceReport& device : report.devices)
      peaks_[device.device] =
          (kind_ == MomentKind::peak ? device.peak_allocated : device.peak_reserved).bytes;
  }

  /// Counting begins here.
  void begin(DeviceReplay& device) {
    found_.erase(device.device());
    look_at(device);
  }

  void look_at(DeviceReplay& device) {
    const ReachedPeak& reached =
        kind_ == MomentKind::peak ? device.peak_allocated() : device.peak_reserved();
    const auto peak = peaks_.find(device.device());
    if (peak == peaks_.end() || reached.bytes < peak->second) return;
    if (!found_.contains(device.device())) found_.emplace(device.device(), state_of(device));
  }

  /// The state as it is now, if there was no peak.
  DeviceState take(DeviceReplay& device) {
    const auto found = found_.find(device.device());
    return found == found_.end() ? state_of(device) : std::move(found->second);
  }

 private:
  MomentKind kind_;
  std::map<traces::DeviceIndex, Bytes> peaks_;
  std::map<traces::DeviceIndex, DeviceState> found_;
};

/// Forgets what is left of a device if its memory has no limit.
void forget_boundless_memory(std::vector<DeviceState>& states, const ReplayReport& report) {
  for (DeviceState& state : states)
    for (const DeviceReport& device : report.devices)
      if (device.device == state.device && device.memory_origin.empty())
        state.rules.device_free.reset();
}

}  // namespace

std::vector<DeviceState> states_at(const Replayer& replayer, const ReplayConditions& conditions,
                                   const Moment& moment, const ReplayReport& report) {
  std::vector<DeviceState> states;
  ReplayWatch until;
  if (moment.kind == MomentKind::time)
    until.until_ns = time_of(moment, report, replayer.file());
  else
    until.until = last_events(moment, report, replayer.file());
  PeakStates peaks(moment.kind, report);
  if (is_peak(moment.kind)) {
    until.at_start = [&peaks](DeviceReplay& device) { peaks.begin(device); };
    until.after_event = [&peaks](DeviceReplay& device, const auto&, std::uint64_t) {
      peaks.look_at(device);
    };
  }
  until.at_end = [&](DeviceReplay& device) { states.push_back(peaks.take(device)); };
  replayer.run(conditions, until);
  forget_boundless_memory(states, report);
  return states;
}

StatesAtMoment states_at(const Replayer& replayer, const ReplayConditions& conditions,
                         const Moment& moment, const ReplayWatch& first_watch) {
  StatesAtMoment at;
  if (moment.kind != MomentKind::end) {
    at.report = replayer.run(conditions, first_watch);
    at.states = states_at(replayer, conditions, moment, at.report);
    return at;
  }
  ReplayWatch watch = first_watch;
  watch.at_end = [&at](DeviceReplay& device) { at.states.push_back(state_of(device)); };
  at.report = replayer.run(conditions, watch);
  forget_boundless_memory(at.states, at.report);
  return at;
}

namespace {

using traces::InputError;

/// How many entries were before the moment, as `moment` counts events of the program.
Moment among_entries(const Moment& moment, const KeptHostHistory& kept,
                     const std::optional<std::uint64_t>& start_ns) {
  const auto is_later = [&](std::size_t i) {
    if (moment.kind == MomentKind::event) return kept.numbers[i] > moment.event;
    return kept.history.events[i].time_us > (start_ns.value_or(0) + moment.time_ns) / 1000;
  };
  if (moment.kind != MomentKind::event && moment.kind != MomentKind::time) return moment;
  std::size_t count = 0;
  while (count < kept.numbers.size() && !is_later(count)) ++count;
  // The one before the first is none that a recording has.
  if (count == 0) return {MomentKind::event, kept.numbers.size()};
  return {MomentKind::event, count - 1};
}

/// Requires: the recording is about pinned memory.
HostState state_in(Recording& recording, const Moment& moment) {
  for (const DeviceHistory& device : recording.history().devices)
    if (std::string reason = impossible_part(device); !reason.empty())
      throw InputError(
          {recording.file(), "pinned host memory", "a history that an allocator can have", reason});
  RecordedStates found = recorded_states(recording, moment, StateHistory::last_event);
  if (found.states.empty())
    throw InputError({recording.file(), "", "such a moment of pinned host memory", "none"});
  return {std::move(found.states.front()), std::move(found.doubts)};
}

/// A recording of its own for pinned memory, from a file's sections or from a replay.
Recording recording_of(const Recording& whole, RecordedHistory pinned,
                       const ReferenceVersion* version) {
  const std::shared_ptr<traces::SnapshotTables> same_tables(std::shared_ptr<void>(),
                                                            &whole.tables());
  return {whole.file(), std::move(pinned), same_tables, {version, whole.scratch()}};
}

HostState replayed_state(Recording& recording, const Moment& moment,
                         const ReplayConditions& conditions) {
  std::optional<KeptHostHistory> kept;
  ReplayWatch watch;
  watch.at_host_end = [&](const HostReplay& replay) { kept = replay.kept_history(); };
  const ReplayReport report = Replayer(recording).run(conditions, watch);
  if (!kept) throw InputError({recording.file(), "", "events about pinned host memory", "none"});
  const Moment entry = among_entries(moment, *kept, report.first_time_ns);
  RecordedHistory history;
  history.devices.push_back(std::move(kept->history));
  Recording pinned = recording_of(recording, std::move(history), conditions.version);
  HostState found = state_in(pinned, entry);
  found.notes.insert(found.notes.begin(), report.notes.begin(), report.notes.end());
  return found;
}

}  // namespace

HostState host_state_at(Recording& recording, const Moment& moment,
                        const ReplayConditions& conditions, HostStateFrom from) {
  if (from == HostStateFrom::replay || recording.is_program())
    return replayed_state(recording, moment, conditions);
  if (recording.pinned().devices.empty())
    throw InputError({recording.file(), "", "something about pinned host memory", "none"});
  RecordedHistory sections = recording.pinned();
  sections.settings = recording.history().settings;
  Recording pinned = recording_of(recording, std::move(sections), conditions.version);
  return state_in(pinned, moment);
}

}  // namespace vramlab::replay
