#include "allocator/pinned/host_consistency.h"

#include <set>
#include <unordered_map>

namespace vramlab::allocator {

/// Looks at one state. Each function gives the first rule of its part that is broken.
class HostConsistency {
 public:
  explicit HostConsistency(const PinnedAllocator& allocator) : allocator_(allocator) {}

  std::string find_broken() {
    for (const HostPool* const pool : pools()) {
      if (std::string broken = broken_in_pool(*pool); !broken.empty()) return broken;
      if (pool->block_count > 0) counts_[pool] = pool->block_count;
    }
    if (std::string broken = broken_in_blocks(); !broken.empty()) return broken;
    return broken_in_statistics();
  }

 private:
  std::vector<const HostPool*> pools() const {
    std::vector<const HostPool*> pools = {&allocator_.pools_.default_pool_};
    for (const auto& [id, pool] : allocator_.pools_.private_pools_) pools.push_back(&pool);
    return pools;
  }

  std::string broken_in_pool(const HostPool& pool) {
    for (std::size_t bucket = 0; bucket < pool.free_lists.size(); ++bucket)
      for (const HostBlock* const block : pool.free_lists[bucket]) {
        if (!free_.insert(block).second) return about(*block, "is in two free lists");
        if (block->pool != &pool) return about(*block, "is free in another pool");
        if (host_bucket_of(block->size) != bucket) return about(*block, "is in a wrong bucket");
        if (block->is_active()) return about(*block, "is free and active");
        if (!block->streams.empty()) return about(*block, "is free and used by streams");
      }
    for (const HostWait& wait : pool.waiting) {
      if (wait.block->pool != &pool) return about(*wait.block, "waits in another pool");
      if (wait.block->allocated) return about(*wait.block, "waits although it is allocated");
      ++waits_[wait.block];
    }
    return {};
  }

  std::string broken_in_blocks() {
    std::unordered_map<const HostPool*, std::size_t> counts;
    for (const auto& [at, block] : allocator_.blocks_) {
      if (block.address.value != at) return about(block, "is kept under another address");
      if (block.size == Bytes{}) return about(block, "is empty");
      if (block.allocated && block.outstanding_events > 0)
        return about(block, "is allocated and waits for events");
      const auto waits = waits_.find(&block);
      if (waits != waits_.end() && waits->second != block.outstanding_events)
        return about(block, "waits for another number of events than it counts");
      ++counts[block.pool];
      if (block.is_active()) active_bytes_ += block.size;
      bytes_ += block.size;
    }
    return counts == counts_ ? "" : "A pool counts another number of blocks than it has.";
  }

  /// A free whose event could not be recorded may be counted as active and not be so.
  std::string broken_in_statistics() const {
    const HostStatisticValues values = allocator_.statistics();
    const auto blocks = static_cast<std::int64_t>(allocator_.blocks_.size());
    if (values.allocations.current < blocks) return "Blocks are missing in the statistics.";
    if (values.allocated_bytes.current < static_cast<std::int64_t>(bytes_.count))
      return "Bytes of blocks are missing in the statistics.";
    if (values.active_bytes.current < static_cast<std::int64_t>(active_bytes_.count))
      return "Bytes of active blocks are missing in the statistics.";
    return {};
  }

  static std::string about(const HostBlock& block, const std::string& what) {
    return "The host block at " + name_of(block.address) + " " + what + ".";
  }

  const PinnedAllocator& allocator_;
  std::set<const HostBlock*> free_;
  std::unordered_map<const HostBlock*, std::uint32_t> waits_;
  std::unordered_map<const HostPool*, std::size_t> counts_;
  Bytes bytes_;
  Bytes active_bytes_;
};

std::string find_broken_host_rule(const PinnedAllocator& allocator) {
  return HostConsistency(allocator).find_broken();
}

}  // namespace vramlab::allocator
