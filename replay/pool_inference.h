// PoolInference: which pool each segment is in, where the file does not say. Segments that survive
// say it; placements say which cannot share one; releases of everything say the rest. A guess that
// explains a recording is a guess all the same, and counted as one.
#pragma once

#include <vector>

#include "replay/fidelity.h"
#include "replay/placement_walk.h"

namespace vramlab::replay {

inline constexpr unsigned most_pool_rounds = 6;

class PoolInference {
 public:
  PoolInference(const DeviceHistory& history, const std::vector<RecordedCall>& calls,
                const Placements& placements)
      : history_(history), calls_(calls), placements_(placements) {}

  /// By life.
  std::vector<allocator::PoolId> solve();
  /// Calls whose releases were not explained. False where there is nothing left to try.
  bool learn(const std::vector<std::size_t>& unexplained_calls);
  void count(Inferences& inferences) const;

 private:
  const DeviceHistory& history_;
  const std::vector<RecordedCall>& calls_;
  const Placements& placements_;
  std::vector<allocator::PoolId> pools_;
};

}  // namespace vramlab::replay
