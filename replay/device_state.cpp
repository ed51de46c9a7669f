#include "replay/device_state.h"

#include "replay/device_replay.h"
#include "replay/engine_rules.h"

namespace vramlab::replay {

DeviceState state_of(DeviceReplay& replay) {
  DeviceState state;
  state.device = replay.device();
  // First, as taking a snapshot is an entry, and a snapshot does not show its own.
  state.history = replay.history();
  state.stacks = replay.history_stacks(state.history);
  state.snapshot = replay.take_snapshot();
  state.origins = replay.origins();
  state.rules = rules_of(replay.engine(), replay.device_free());
  state.rules.requests = replay.request_sizes();
  state.moment = replay.last_event();
  return state;
}

}  // namespace vramlab::replay
