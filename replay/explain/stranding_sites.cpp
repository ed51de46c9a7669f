#include "replay/explain/stranding_sites.h"

#include <algorithm>
#include <map>

#include "replay/call_sites/call_sites.h"
#include "replay/explain/device_overview.h"

namespace vramlab::replay {
namespace {

std::string place_of(const DeviceState& state, Address at, const traces::SnapshotTables& tables) {
  const auto origin = state.origins.find(at);
  if (origin == state.origins.end()) return earlier_name;
  std::string line = line_of(origin->second.stack, tables);
  if (!line.empty()) return line;
  return origin->second.event ? no_stack_name : earlier_name;
}

}  // namespace

std::vector<StrandingSite> stranding_sites(const DeviceState& state,
                                           const traces::SnapshotTables& tables) {
  constexpr std::size_t looked_at = 1000;
  std::map<std::string, StrandingSite> by_place;
  for (const Pinner& pinner : find_pinners(state.snapshot, state.rules, looked_at)) {
    if (pinner.strands == Bytes{}) continue;
    const std::string place = place_of(state, pinner.at, tables);
    StrandingSite& site = by_place[place];
    site.place = place;
    site.strands += pinner.strands;
    ++site.blocks;
  }
  std::vector<StrandingSite> sites;
  for (auto& [place, site] : by_place) sites.push_back(std::move(site));
  std::ranges::stable_sort(sites, std::greater<>(), &StrandingSite::strands);
  return sites;
}

}  // namespace vramlab::replay
