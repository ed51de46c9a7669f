#include "tools/preload/ground/physical_memory.h"

namespace vramlab::preload {

void PhysicalMemory::create(std::uint64_t handle, std::size_t bytes, std::uint32_t device) {
  pieces_[++last_piece_] = {bytes, device, 0, true};
  piece_of_handle_[handle] = last_piece_;
  totals_[device] += bytes;
}

std::optional<std::uint32_t> PhysicalMemory::drop_if_unused(Pieces::iterator piece) {
  if (piece->second.has_handle || piece->second.mappings != 0) return std::nullopt;
  const std::uint32_t device = piece->second.device;
  totals_[device] -= piece->second.bytes;
  pieces_.erase(piece);
  return device;
}

std::optional<std::uint32_t> PhysicalMemory::release(std::uint64_t handle) {
  const auto known = piece_of_handle_.find(handle);
  if (known == piece_of_handle_.end()) return std::nullopt;
  const auto piece = pieces_.find(known->second);
  piece_of_handle_.erase(known);
  piece->second.has_handle = false;
  return drop_if_unused(piece);
}

void PhysicalMemory::map(std::uint64_t address, std::uint64_t handle) {
  const auto known = piece_of_handle_.find(handle);
  if (known == piece_of_handle_.end()) return;
  piece_at_[address] = known->second;
  ++pieces_.at(known->second).mappings;
}

std::optional<std::uint32_t> PhysicalMemory::unmap(std::uint64_t address, std::size_t bytes) {
  std::optional<std::uint32_t> changed;
  auto at = piece_at_.lower_bound(address);
  while (at != piece_at_.end() && at->first - address < bytes) {
    const auto piece = pieces_.find(at->second);
    --piece->second.mappings;
    if (const auto device = drop_if_unused(piece)) changed = device;
    at = piece_at_.erase(at);
  }
  return changed;
}

bool PhysicalMemory::knows(std::uint64_t handle) const { return piece_of_handle_.contains(handle); }

std::uint64_t PhysicalMemory::bytes_of(std::uint32_t device) const {
  const auto total = totals_.find(device);
  return total == totals_.end() ? 0 : total->second;
}

}  // namespace vramlab::preload
