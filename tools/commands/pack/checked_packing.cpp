#include "tools/commands/pack/checked_packing.h"

#include "allocator/words/check.h"
#include "replay/packing/packing_check.h"

namespace vramlab::tools {

std::vector<replay::PackingResult> checked_packings(const replay::PackInput& input,
                                                    const replay::PackingLimits& limits) {
  std::vector<replay::PackingResult> results;
  for (const replay::PackGroup& group : input.groups) {
    replay::PackingResult& result = results.emplace_back(best_packing(group.buffers, limits));
    const auto fault = packing_fault(group.buffers, result.packing);
    check(!fault, fault ? fault->c_str() : "the packing is without fault");
    check(result.packing.height >= result.load_bound, "a packing is not below the load bound");
  }
  return results;
}

}  // namespace vramlab::tools
