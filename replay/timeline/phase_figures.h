// Figures of phases: how much memory a history held at moments that somebody marked, and the most
// between each two of them. Whose phases they are is for others to say.
#pragma once

#include <vector>

#include "replay/recording/explained_history.h"
#include "replay/recording/followed_blocks.h"
#include "replay/recording/recorded_history.h"

namespace vramlab::replay {

struct MarkedMoment {
  /// In blocks that are in use, by their whole sizes.
  Bytes allocated;
  /// By the sizes that were asked for; blocks that wait for streams count.
  Bytes requested;
  Bytes reserved;
  /// The part of it in pools other than the default one, as those of CUDA graphs.
  Bytes allocated_in_pools;
  Bytes reserved_in_pools;
  /// The most since the moment before, which counts too; for the first one since the beginning.
  Bytes peak_allocated;
  Bytes peak_reserved;
  /// The least outside of pools, likewise.
  Bytes least_reserved_by_default;

  Bytes reserved_by_default() const { return reserved - reserved_in_pools; }
};

/// One for each of the moments. Moments behind the end are the end. Requires: moments don't go
/// back; the history is placed.
std::vector<MarkedMoment> figures_at(const DeviceHistory& history,
                                     const ExplainedHistory& explained,
                                     const std::vector<HistoryStep>& moments);

}  // namespace vramlab::replay
