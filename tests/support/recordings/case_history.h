// A recorded case as a memory snapshot: its trace, from some entry on, and its
// final segments. The answers are the reference's, so replays can be checked against them.
#pragma once

#include <cstddef>
#include <string>

#include "replay/recording/explained_history.h"
#include "traces/cases/recorded_case.h"

namespace vramlab::tests {

/// A case from tests/conformance, such as "pools-1122".
traces::RecordedCase bundled_case(const std::string& name);

/// The case as a recording that began `first` entries late.
replay::RecordedHistory history_of(const traces::RecordedCase& recorded, std::size_t first = 0);

/// Replays with the settings and the version of the case.
replay::DeviceFidelity fidelity_of(const replay::RecordedHistory& history,
                                   const traces::RecordedCase& recorded);

/// Settings that change on the way and restored checkpoints are not in a snapshot.
bool is_replayable(const traces::RecordedCase& recorded);

}  // namespace vramlab::tests
