// Verifying a recording: every device's history through the engine, and how faithful that was.
#pragma once

#include "replay/fidelity.h"
#include "replay/recorded_history.h"

namespace vramlab::replay {

/// What the recording was made under.
struct VerifyConditions {
  const allocator::ReferenceVersion& version;
  bool version_is_guessed = true;
  SettingsInForce settings;
};

Fidelity verify(const RecordedHistory& history, const VerifyConditions& conditions);

}  // namespace vramlab::replay
