// Guessed kinds: for recordings without notes of kinds, the phases of the program from the call
// stacks of its requests. A stack names no module and no parameter, so names stay unknown; and what
// is not on the stack is a guess, such as that blocks which outlive a step are states.
#pragma once

#include "replay/recording/recorded_history.h"
#include "traces/model/kinds_notes.h"

namespace vramlab::replay {

/// The marks that the stacks tell, with places among events.
traces::DeviceKindsNotes guessed_notes(const DeviceHistory& history,
                                       const traces::SnapshotTables& tables);

}  // namespace vramlab::replay
