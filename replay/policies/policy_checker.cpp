#include "replay/policies/policy_checker.h"

#include <iterator>

namespace vramlab::replay {

using streams::AddressRange;

std::optional<std::string> PolicyChecker::fault_of(std::uint64_t id, AddressRange range) const {
  const auto shares = [&](const auto& at) {
    return at->first < range.end.value && range.begin.value < at->second.end;
  };
  const auto next = taken_.lower_bound(range.begin.value);
  auto other = taken_.end();
  if (next != taken_.end() && shares(next)) other = next;
  if (next != taken_.begin() && shares(std::prev(next))) other = std::prev(next);
  if (other == taken_.end()) return std::nullopt;
  return "block " + std::to_string(id) + " shares memory with block " +
         std::to_string(other->second.id) + ", which is live";
}

std::optional<std::string> PolicyChecker::served(const PolicyRequest& request,
                                                 const std::vector<AddressRange>& memory,
                                                 allocator::Bytes taken_of_device) {
  if (blocks_.contains(request.id))
    return "block " + std::to_string(request.id) + " is live already";
  allocator::Bytes size;
  for (const AddressRange& range : memory) {
    if (auto fault = fault_of(request.id, range)) return fault;
    taken_[range.begin.value] = {range.end.value, request.id};
    size += range.size();
  }
  blocks_[request.id] = memory;
  taken_bytes_ += size.count;
  if (size < request.bytes)
    return "block " + std::to_string(request.id) + " has " + std::to_string(size.count) +
           " bytes, fewer than the " + std::to_string(request.bytes.count) + " asked for";
  if (taken_bytes_ > taken_of_device.count)
    return "live blocks have more memory than the device gave";
  return std::nullopt;
}

std::optional<std::string> PolicyChecker::freed(std::uint64_t id) {
  const auto at = blocks_.find(id);
  if (at == blocks_.end()) return "block " + std::to_string(id) + " is not live";
  for (const AddressRange& range : at->second) {
    taken_bytes_ -= range.size().count;
    taken_.erase(range.begin.value);
  }
  blocks_.erase(at);
  return std::nullopt;
}

}  // namespace vramlab::replay
