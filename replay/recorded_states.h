// States of a recording at a moment, as following it shows them: exact where following it is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "replay/recorded_history.h"
#include "replay/snapshot_values_of.h"

namespace vramlab::replay {

enum class MomentKind : std::uint8_t {
  /// When most was in use, by what was requested.
  peak,
  /// The first.
  out_of_memory,
  /// What the file itself shows; the only one where there is no history.
  end,
  /// After the call that an event belongs to.
  event,
  /// After the last event that is not later than so long after the first one of the file.
  time,
};

struct Moment {
  MomentKind kind = MomentKind::end;
  std::uint64_t event = 0;
  std::uint64_t time_ns = 0;
};

struct RecordedStates {
  std::vector<DeviceState> states;
  /// Sentences: what is not sure.
  std::vector<std::string> doubts;
};

/// Of each device that has such a moment. `version`: null to guess it. A device whose first event
/// is later has none at a time.
RecordedStates recorded_states(const RecordedHistory& history, const traces::TextTable& texts,
                               const allocator::ReferenceVersion* version, const Moment& moment);

}  // namespace vramlab::replay
