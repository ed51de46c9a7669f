// MemoryPools: the pools of stream-ordered memory. A pool has memory of its device in whole units,
// hands out parts of them and keeps returned parts up to its threshold. NVIDIA does not document in
// full how soon the real one reuses memory and how it lays it out
// (docs/reference/ordered_memory.md).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "tools/cuda_standins/model/shared_units.h"

namespace vramlab::dry_run {

class DeviceMemory;

/// The figures of a pool, by CUmemPool_attribute.
struct PoolFigures {
  std::uint64_t release_threshold = 0;
  std::uint64_t reserved = 0;
  std::uint64_t most_reserved = 0;
  std::uint64_t used = 0;
  std::uint64_t most_used = 0;
};

class MemoryPools {
 public:
  MemoryPools(DeviceMemory& memory, std::uint32_t device_count);

  /// Handles.
  static std::uint64_t default_pool(std::uint32_t device) {
    return first_default + std::uint64_t{16} * device;
  }
  std::uint64_t current_pool(std::uint32_t device) const { return current_.at(device); }
  void set_current(std::uint32_t device, std::uint64_t pool) { current_.at(device) = pool; }
  std::uint64_t create(std::uint32_t device);
  /// Memory in use stays so. False if no such pool was made.
  bool destroy(std::uint64_t pool);
  bool has(std::uint64_t pool) const { return pools_.contains(pool); }
  /// Requires: it is a pool; so do the others.
  std::uint32_t device_of(std::uint64_t pool) const { return pools_.at(pool).device; }
  PoolFigures& figures(std::uint64_t pool) { return pools_.at(pool).figures; }

  std::optional<std::uint64_t> allocate(std::uint64_t handle, std::uint64_t bytes);
  /// False where none of the pools gave it.
  bool release(std::uint64_t at);
  /// Gives units back in which nothing is, until no more than this is held.
  void trim(std::uint64_t handle, std::uint64_t kept);

 private:
  static constexpr std::uint64_t first_default = 0x30000000;
  static constexpr std::uint64_t first_made = 0x30001000;

  struct Pool {
    std::uint32_t device = 0;
    PoolFigures figures;
    SharedUnits units;
  };

  bool grow(Pool& pool, std::uint64_t bytes);

  DeviceMemory& memory_;
  std::vector<std::uint64_t> current_;
  std::uint64_t next_made_ = first_made;
  std::map<std::uint64_t, Pool> pools_;
};

}  // namespace vramlab::dry_run
