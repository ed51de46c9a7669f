// Levers: changes of a training program whose effect on a moment's memory follows from what its
// blocks hold. Each is an estimate of the most that the moment could lose; the peak may then be
// another moment.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "replay/kinds/block_kinds.h"

namespace vramlab::replay {

/// The part of memory that a lever makes smaller; of two for one part only one can be used.
enum class LeverFor : std::uint8_t { activations, states, shards };

struct Lever {
  LeverFor part = LeverFor::activations;
  /// Such as `activation checkpointing of blocks.*`.
  std::string name;
  Bytes saves_at_most;
  /// How the estimate is made.
  std::string rule;
};

/// The levers that save a hundredth of the blocks' bytes and more, those that save most first.
std::vector<Lever> find_levers(const std::vector<LiveBlock>& blocks, const BlockKinds& of_blocks,
                               const RecordingKinds& kinds);

}  // namespace vramlab::replay
