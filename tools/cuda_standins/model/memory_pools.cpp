#include "tools/cuda_standins/model/memory_pools.h"

#include <algorithm>
#include <iterator>

#include "tools/cuda_standins/model/device_memory.h"

namespace vramlab::dry_run {
namespace {

constexpr std::uint64_t unit_bytes = 32ULL << 20;
constexpr std::uint64_t alignment = 512;

std::uint64_t rounded(std::uint64_t bytes, std::uint64_t to) { return (bytes + to - 1) / to * to; }

}  // namespace

MemoryPools::MemoryPools(DeviceMemory& memory, std::uint32_t device_count) : memory_(memory) {
  for (std::uint32_t device = 0; device < device_count; ++device) {
    pools_[default_pool(device)].device = device;
    current_.push_back(default_pool(device));
  }
}

std::uint64_t MemoryPools::create(std::uint32_t device) {
  next_made_ += 16;
  pools_[next_made_].device = device;
  return next_made_;
}

bool MemoryPools::destroy(std::uint64_t pool) {
  if (pool < first_made || !has(pool)) return false;
  trim(pool, 0);
  for (std::uint32_t device = 0; device < current_.size(); ++device)
    if (current_[device] == pool) current_[device] = default_pool(device);
  if (pools_.at(pool).units.empty()) pools_.erase(pool);
  return true;
}

std::optional<std::uint64_t> MemoryPools::take_from(Unit& unit, std::uint64_t bytes) {
  const auto found =
      std::ranges::find_if(unit.free, [bytes](const auto& gap) { return gap.second >= bytes; });
  if (found == unit.free.end()) return std::nullopt;
  const auto [at, size] = *found;
  unit.free.erase(found);
  if (size > bytes) unit.free[at + bytes] = size - bytes;
  unit.in_use[at] = bytes;
  return at;
}

void MemoryPools::give_back(Unit& unit, std::uint64_t at) {
  const auto used = unit.in_use.find(at);
  auto gap = unit.free.emplace(at, used->second).first;
  unit.in_use.erase(used);
  if (const auto next = std::next(gap);
      next != unit.free.end() && next->first == gap->first + gap->second) {
    gap->second += next->second;
    unit.free.erase(next);
  }
  if (gap == unit.free.begin()) return;
  const auto before = std::prev(gap);
  if (before->first + before->second != gap->first) return;
  before->second += gap->second;
  unit.free.erase(gap);
}

MemoryPools::Unit* MemoryPools::grow(Pool& pool, std::uint64_t bytes) {
  const std::uint64_t size = rounded(bytes, unit_bytes);
  const auto at = memory_.take(pool.device, size);
  if (!at) return nullptr;
  Unit& unit = pool.units[*at];
  unit.bytes = size;
  unit.free[*at] = size;
  pool.figures.reserved += size;
  pool.figures.most_reserved = std::max(pool.figures.most_reserved, pool.figures.reserved);
  return &unit;
}

std::optional<std::uint64_t> MemoryPools::allocate(std::uint64_t handle, std::uint64_t bytes) {
  Pool& pool = pools_.at(handle);
  const std::uint64_t size = rounded(bytes, alignment);
  std::optional<std::uint64_t> at;
  for (auto& [begin, unit] : pool.units)
    if ((at = take_from(unit, size))) break;
  if (!at) {
    Unit* unit = grow(pool, size);
    if (unit == nullptr) {
      trim(handle, 0);
      unit = grow(pool, size);
    }
    if (unit == nullptr) return std::nullopt;
    at = take_from(*unit, size);
  }
  pool.figures.used += size;
  pool.figures.most_used = std::max(pool.figures.most_used, pool.figures.used);
  return at;
}

bool MemoryPools::release(std::uint64_t at) {
  for (auto& [handle, pool] : pools_) {
    const auto after = pool.units.upper_bound(at);
    if (after == pool.units.begin()) continue;
    Unit& unit = std::prev(after)->second;
    const auto used = unit.in_use.find(at);
    if (used == unit.in_use.end()) continue;
    pool.figures.used -= used->second;
    give_back(unit, at);
    trim(handle, pool.figures.release_threshold);
    return true;
  }
  return false;
}

void MemoryPools::trim(std::uint64_t handle, std::uint64_t kept) {
  Pool& pool = pools_.at(handle);
  for (auto unit = pool.units.begin(); unit != pool.units.end();) {
    if (pool.figures.reserved <= kept) return;
    if (!unit->second.in_use.empty()) {
      ++unit;
      continue;
    }
    pool.figures.reserved -= unit->second.bytes;
    memory_.give_back(pool.device, unit->first);
    unit = pool.units.erase(unit);
  }
}

}  // namespace vramlab::dry_run
