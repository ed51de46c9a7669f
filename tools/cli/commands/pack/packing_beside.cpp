#include "tools/cli/commands/pack/packing_beside.h"

#include <nlohmann/json.hpp>

#include "replay/packing/find_lifetimes.h"

namespace vramlab::tools {
replay::PackingResult packing_beside(const replay::PackGroup& group) {
  return checked_packing(group, replay::packing_beside_replays());
}

PackOutcome packing_beside(const replay::Replayer& replayer,
                           const replay::ReplayConditions& conditions) {
  PackOutcome outcome;
  outcome.file = replayer.file();
  outcome.input.source =
      replayer.has_histories() ? replay::PackSource::recording : replay::PackSource::program;
  std::vector<replay::DeviceLifetimes> devices = lifetimes_of(replayer, conditions);
  for (replay::DeviceLifetimes& device : devices) {
    if (device.blocks.empty()) continue;
    outcome.input.groups.push_back(pack_group_of(device, replayer.file()));
    // The group has what packing needs, and lifetimes of millions of blocks take much memory.
    device.blocks = std::vector<replay::Lifetime>();
    outcome.results.push_back(packing_beside(outcome.input.groups.back()));
  }
  return outcome;
}

std::optional<std::size_t> largest_packing(const PackOutcome& outcome) {
  std::optional<std::size_t> largest;
  for (std::size_t i = 0; i < outcome.results.size(); ++i)
    if (!largest || outcome.results[i].packing.height > outcome.results[*largest].packing.height)
      largest = i;
  return largest;
}

nlohmann::ordered_json best_packing_json(const replay::PackingResult* result) {
  if (result == nullptr) return nullptr;
  return {{"heuristic", result->heuristic},
          {"bytes", result->packing.height.count},
          {"load_bound", result->load_bound.count},
          {"is_optimal", result->is_optimal()},
          {"left_out", result->left_out}};
}

}  // namespace vramlab::tools
