#include "replay/replayer/replayed_states.h"

#include "replay/replayer/device_replay.h"
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
    if (moment.kind == MomentKind::out_of_memory && !device.failures.empty())
      last[device.device] = device.failures.front().event;
  }
  if (moment.kind == MomentKind::out_of_memory && last.empty())
    throw traces::InputError({file, "", "a replay that runs out of memory", "one that does not"});
  return last;
}

/// What is left of a device says nothing if its memory has no limit.
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
  until.at_end = [&states](DeviceReplay& device) { states.push_back(state_of(device)); };
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

}  // namespace vramlab::replay
