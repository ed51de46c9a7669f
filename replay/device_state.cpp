#include "replay/device_state.h"

#include "replay/device_replay.h"
#include "replay/engine_rules.h"

namespace vramlab::replay {

DeviceState state_of(DeviceReplay& replay) {
  DeviceState state;
  state.device = replay.device();
  state.snapshot = replay.take_snapshot();
  state.history = replay.history();
  state.origins = replay.origins();
  state.request_stacks = replay.request_stacks();
  state.rules = rules_of(replay.engine(), replay.device_free());
  state.rules.requests = replay.request_sizes();
  state.moment = replay.last_event();
  return state;
}

}  // namespace vramlab::replay
