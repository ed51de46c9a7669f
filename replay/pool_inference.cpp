#include "replay/pool_inference.h"

namespace vramlab::replay {

using allocator::PoolId;

std::vector<PoolId> PoolInference::solve() {
  pools_.clear();
  for (const SegmentLife& life : placements_.lives)
    pools_.push_back(life.pool.value_or(allocator::default_pool));
  return pools_;
}

bool PoolInference::learn(const std::vector<std::size_t>&) { return false; }

void PoolInference::count(Inferences&) const {}

}  // namespace vramlab::replay
