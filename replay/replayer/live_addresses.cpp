#include "replay/replayer/live_addresses.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

namespace vramlab::replay {

using allocator::RestoredBlock;

std::optional<Address> LiveAddresses::find(std::uint64_t id) const {
  const auto found = addresses_.find(id);
  if (found == addresses_.end()) return std::nullopt;
  return found->second;
}

std::optional<Address> LiveAddresses::take(std::uint64_t id) {
  const auto found = addresses_.find(id);
  if (found == addresses_.end()) return std::nullopt;
  const Address address = found->second;
  addresses_.erase(found);
  return address;
}

void LiveAddresses::restore(const allocator::RestoreResult& result, std::uint64_t first_id) {
  std::unordered_set<std::uint64_t> freed;
  for (const Address address : result.freed) freed.insert(address.value);
  std::erase_if(addresses_,
                [&freed](const auto& entry) { return freed.contains(entry.second.value); });
  std::vector<RestoredBlock> created = result.created;
  std::ranges::sort(created, {}, &RestoredBlock::address);
  std::uint64_t id = first_id;
  for (const RestoredBlock& block : created) addresses_[id++] = block.address;
}

}  // namespace vramlab::replay
