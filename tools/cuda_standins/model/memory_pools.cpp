#include "tools/cuda_standins/model/memory_pools.h"

#include <algorithm>

#include "tools/cuda_standins/model/device_memory.h"

namespace vramlab::dry_run {
namespace {

constexpr std::uint64_t unit_bytes = 32ULL << 20;

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
  if (pools_.at(pool).units.is_empty()) pools_.erase(pool);
  return true;
}

bool MemoryPools::grow(Pool& pool, std::uint64_t bytes) {
  const std::uint64_t size = rounded_up(bytes, unit_bytes);
  const auto at = memory_.take(pool.device, size);
  if (!at) return false;
  pool.units.add(*at, size);
  pool.figures.reserved += size;
  pool.figures.most_reserved = std::max(pool.figures.most_reserved, pool.figures.reserved);
  return true;
}

std::optional<std::uint64_t> MemoryPools::allocate(std::uint64_t handle, std::uint64_t bytes) {
  if (bytes > DeviceMemory::most_bytes) return std::nullopt;
  Pool& pool = pools_.at(handle);
  const std::uint64_t size = rounded_up(bytes, SharedUnits::alignment);
  auto at = pool.units.take(size);
  if (!at) {
    if (!grow(pool, size)) {
      trim(handle, 0);
      if (!grow(pool, size)) return std::nullopt;
    }
    at = pool.units.take(size);
  }
  pool.figures.used += size;
  pool.figures.most_used = std::max(pool.figures.most_used, pool.figures.used);
  return at;
}

bool MemoryPools::release(std::uint64_t at) {
  for (auto& [handle, pool] : pools_) {
    if (!pool.units.has(at)) continue;
    pool.figures.used -= pool.units.give_back(at);
    trim(handle, pool.figures.release_threshold);
    return true;
  }
  return false;
}

void MemoryPools::trim(std::uint64_t handle, std::uint64_t kept) {
  Pool& pool = pools_.at(handle);
  while (pool.figures.reserved > kept) {
    const auto unit = pool.units.remove_empty();
    if (!unit) return;
    pool.figures.reserved -= unit->bytes;
    memory_.give_back(pool.device, unit->at);
  }
}

}  // namespace vramlab::dry_run
