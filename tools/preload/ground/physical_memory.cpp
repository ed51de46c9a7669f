#include "tools/preload/ground/physical_memory.h"

#include <iterator>

namespace vramlab::preload {

void PhysicalMemory::create(std::uint64_t handle, const PhysicalPiece& piece) {
  pieces_[++last_piece_] = {piece};
  piece_of_handle_[handle] = last_piece_;
  if (piece.device) totals_[*piece.device] += piece.bytes;
}

std::optional<PhysicalPiece> PhysicalMemory::drop_if_unused(std::uint64_t number) {
  const auto held = pieces_.find(number);
  if (held->second.handles != 0 || held->second.mappings != 0) return std::nullopt;
  const PhysicalPiece gone = held->second.piece;
  if (gone.device) totals_[*gone.device] -= gone.bytes;
  pieces_.erase(held);
  return gone;
}

bool PhysicalMemory::share(std::uint64_t handle) {
  const auto known = piece_of_handle_.find(handle);
  if (known == piece_of_handle_.end()) return false;
  ++pieces_.at(known->second).handles;
  return true;
}

void PhysicalMemory::retain(std::uint64_t address, std::uint64_t handle) {
  const auto after = mappings_.upper_bound(address);
  if (after == mappings_.begin()) return;
  const auto& [begin, mapping] = *std::prev(after);
  if (address - begin >= mapping.bytes) return;
  piece_of_handle_[handle] = mapping.piece;
  ++pieces_.at(mapping.piece).handles;
}

std::optional<PhysicalPiece> PhysicalMemory::release(std::uint64_t handle) {
  const auto known = piece_of_handle_.find(handle);
  if (known == piece_of_handle_.end()) return std::nullopt;
  const std::uint64_t number = known->second;
  if (--pieces_.at(number).handles == 0) piece_of_handle_.erase(known);
  return drop_if_unused(number);
}

void PhysicalMemory::map(std::uint64_t address, std::size_t bytes, std::uint64_t handle) {
  const auto known = piece_of_handle_.find(handle);
  if (known == piece_of_handle_.end()) return;
  mappings_[address] = {bytes, known->second};
  ++pieces_.at(known->second).mappings;
}

std::vector<PhysicalPiece> PhysicalMemory::unmap(std::uint64_t address, std::size_t bytes) {
  std::vector<PhysicalPiece> gone;
  auto at = mappings_.lower_bound(address);
  while (at != mappings_.end() && at->first - address < bytes) {
    --pieces_.at(at->second.piece).mappings;
    if (const auto piece = drop_if_unused(at->second.piece)) gone.push_back(*piece);
    at = mappings_.erase(at);
  }
  return gone;
}

bool PhysicalMemory::knows(std::uint64_t handle) const { return piece_of_handle_.contains(handle); }

std::uint64_t PhysicalMemory::bytes_of(std::uint32_t device) const {
  const auto total = totals_.find(device);
  return total == totals_.end() ? 0 : total->second;
}

}  // namespace vramlab::preload
