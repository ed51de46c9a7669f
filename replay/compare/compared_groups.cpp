#include <algorithm>
#include <map>
#include <set>

#include "replay/call_sites/iterations.h"
#include "replay/compare/compared_file.h"
#include "traces/io/input_error.h"

namespace vramlab::replay {
namespace {

using traces::InputError;

std::set<RequestName> requests_of(const std::vector<DeviceHoldings>& devices) {
  std::set<RequestName> requests;
  for (const DeviceHoldings& device : devices)
    for (const LiveBlock& block : device.blocks)
      if (block.event) requests.emplace(device.device, *block.event);
  return requests;
}

/// Goes through the recording twice more: for the iterations, and for where requests stand in them.
std::vector<HeldGroup> group_by_position(Recording& recording,
                                         const std::vector<DeviceHoldings>& devices,
                                         ComparedFile& compared) {
  const IterationRule rule = find_iterations(recording);
  if (rule.source == IterationSource::none)
    compared.notes.emplace_back("no iterations are found: positions count from the beginning");
  const std::set<RequestName> requests = requests_of(devices);
  RequestPositions positions(requests, rule, recording.tables());
  pass_memory_events(recording, positions);
  const auto& found = positions.found();
  std::map<std::string, GroupTotals> groups;
  for (const DeviceHoldings& device : devices)
    for (const LiveBlock& block : device.blocks) {
      const auto position = block.event ? found.find({device.device, *block.event}) : found.end();
      groups[position == found.end()
                 ? "older than the recording, " + format_bytes(block.requested)
                 : position_text(position->second) + ", " + format_bytes(block.requested)]
          .add(block);
    }
  std::vector<HeldGroup> listed;
  for (const auto& [key, totals] : groups) listed.push_back({key, totals, {}});
  return listed;
}

}  // namespace

void add_groups(Recording& recording, const CompareConditions& conditions, ComparedFile& compared) {
  FoundHoldings found = find_holdings(recording, conditions.moment);
  if (conditions.device)
    std::erase_if(found.devices, [&](const DeviceHoldings& device) {
      return device.device != *conditions.device;
    });
  if (found.devices.empty())
    throw InputError({recording.file(), "",
                      "a device " + std::to_string(conditions.device.value_or(0)),
                      "none of that number"});
  std::vector<LiveBlock> blocks;
  for (const DeviceHoldings& device : found.devices)
    blocks.insert(blocks.end(), device.blocks.begin(), device.blocks.end());
  if (found.devices.size() == 1) compared.event = found.devices.front().event;
  compared.is_at_end = std::ranges::none_of(found.devices, &DeviceHoldings::has_history);
  compared.groups = conditions.by ? group_blocks(blocks, *conditions.by, recording.tables())
                                  : group_by_position(recording, found.devices, compared);
  compared.has_groups = true;
  compared.kind = recording.is_program() ? "a program"
                  : compared.is_at_end   ? "a snapshot without a history"
                                         : "a recording";
  compared.notes.insert(compared.notes.end(), found.notes.begin(), found.notes.end());
}

}  // namespace vramlab::replay
