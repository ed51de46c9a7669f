// How much memory a recording took, what it shows of how much there was, and on how much it is
// replayed.
#pragma once

#include <optional>
#include <string>

#include "replay/follow/starting_state.h"
#include "replay/history/recorded_history.h"
#include "replay/run/replay_conditions.h"

namespace vramlab::replay {

/// What a recording says of its device.
struct RecordedMemory {
  allocator::Bytes peak_reserved;
  allocator::Bytes peak_requested;
  /// The least memory on which everything that was granted fits and what was refused does not;
  /// nothing where nothing was refused.
  std::optional<allocator::Bytes> bound;
};
RecordedMemory recorded_memory(const DeviceHistory& history, const StartingState& start);

/// Nothing is asked for but what was there when it was recorded.
bool is_as_recorded(const ReplayConditions& conditions);

struct ChosenMemory {
  allocator::Bytes memory;
  /// As DeviceReport::memory_origin.
  std::string origin;
};
/// How much memory a recording is replayed on. `reservation`: the addresses of its expandable
/// segments.
ChosenMemory choose_memory(const RecordedMemory& recorded, allocator::Bytes reservation,
                           const ReplayConditions& conditions);

}  // namespace vramlab::replay
