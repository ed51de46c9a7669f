// Memory that grows from each step of an optimizer to the next, as with outputs that a program
// keeps by mistake: how much, and what it holds.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "replay/kinds/block_kinds.h"
#include "replay/recording/explained_history.h"

namespace vramlab::replay {

struct StepGrowth {
  struct Part {
    /// Such as `activations of layers.*`.
    std::string name;
    /// For each round.
    Bytes bytes;
  };
  /// The number of steps in a round: 1, or 2 where two optimizers take turns.
  std::size_t steps_in_round = 1;
  /// Rounds in a row that grew.
  std::size_t rounds = 0;
  /// The mean of these rounds.
  Bytes bytes;
  /// The parts that grow most, the largest first; growth below a tenth of the whole is left out.
  std::vector<Part> parts;
};

/// Allocated memory at the end of each step; it grows if it does so in the second half of all
/// rounds and at least twice, by 64 KiB or more each time. So neither states that the first step
/// makes nor a loss that is kept for each step count. `started`: null for a history that no
/// allocator can have made.
std::optional<StepGrowth> find_step_growth(const DeviceHistory& history,
                                           const StartedHistory* started,
                                           const RecordingKinds& kinds);

}  // namespace vramlab::replay
