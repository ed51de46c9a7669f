#include "allocator/checks/consistency.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <type_traits>
#include <unordered_map>

#include "allocator/types/bytes_and_ids.h"

namespace vramlab::allocator {
namespace {

/// The counts of one pass over all blocks, per half.
struct Totals {
  std::array<std::int64_t, 2> live_count{}, live_bytes{}, active_count{}, active_bytes{};
  std::array<std::int64_t, 2> requested_bytes{}, split_count{}, split_bytes{};
  std::array<std::int64_t, 2> segment_count{}, reserved_bytes{};
  Bytes reserved;
  std::size_t block_count = 0;
  std::size_t waiting_count = 0;
};

template <class L>
class Checker {
 public:
  explicit Checker(const CachingAllocator<L>& allocator)
      : core_(allocator.core()), frees_(allocator.cross_stream_frees()) {}

  std::vector<std::string> run() {
    check_segments();
    check_pool(core_.small);
    check_pool(core_.large);
    for (const auto& [id, pool] : core_.private_pools) {
      check_pool(pool->small);
      check_pool(pool->large);
    }
    expect(seen_free_.empty(), "a free block is in no free set");
    expect(seen_unmapped_.empty(), "an unmapped block is in no set of unmapped blocks");
    expect(core_.live.size() == live_seen_, "the address map holds exactly the live blocks");
    expect(core_.reserved == totals_.reserved, "reserved bytes are those of all mapped blocks");
    expect(core_.blocks.slot_count() - core_.blocks.unused_count() == totals_.block_count,
           "every block belongs to a segment");
    check_waiting();
    if constexpr (std::is_base_of_v<Statistics, L>)
      check_statistics(static_cast<const Statistics&>(core_.listeners).values());
    return std::move(broken_);
  }

 private:
  void expect(bool holds, const std::string& rule) {
    if (!holds) broken_.push_back("broken: " + rule);
  }
  void expect(bool holds, const char* rule, const Block& block) {
    if (!holds)
      broken_.push_back(std::string("broken: ") + rule + ", at " + name_of(block.address));
  }

  void check_segments() {
    Address previous_end{0};
    for (const auto& [base, index] : core_.segments.by_address()) {
      const Segment& segment = core_.segments[index];
      expect(segment.base >= previous_end, "segments do not overlap, at " + name_of(segment.base));
      previous_end = segment.base + segment.size;
      check_blocks(index, segment);
      const auto half = static_cast<std::size_t>(core_[segment.lane].kind);
      if (!segment.is_expandable) ++totals_.segment_count[half];
    }
  }

  void check_blocks(SegmentIndex index, const Segment& segment) {
    Address expected = segment.base;
    BlockIndex before = BlockIndex::none;
    for (BlockIndex i = segment.first; i != BlockIndex::none; i = core_.blocks[i].next) {
      const Block& block = core_.blocks[i];
      ++totals_.block_count;
      expect(block.address == expected, "blocks follow each other without gaps", block);
      expect(block.size() > Bytes{0} && block.size().count % 512 == 0,
             "a block's size is a multiple of 512", block);
      expect(block.previous() == before, "a block knows the one before it", block);
      expect((before == BlockIndex::none) == block.is_first() &&
                 (!block.is_first() || block.segment() == index) && block.lane() == segment.lane &&
                 block.is_expandable() == segment.is_expandable,
             "a block knows its segment and lane", block);
      if (before != BlockIndex::none) check_neighbours(core_.blocks[before], block);
      check_use(i, block);
      count(block);
      expected = block.end();
      before = i;
      if (totals_.block_count > core_.blocks.slot_count()) {
        expect(false, "blocks form a row without a loop");
        return;
      }
    }
    expect(expected == segment.base + segment.size,
           "the blocks fill their segment, at " + name_of(segment.base));
  }

  void check_neighbours(const Block& before, const Block& block) {
    expect(before.use() != BlockUse::free || block.use() != BlockUse::free,
           "neighbouring free blocks are merged", block);
    expect(before.use() != BlockUse::unmapped || block.use() != BlockUse::unmapped,
           "neighbouring unmapped blocks are merged", block);
  }

  void check_use(BlockIndex index, const Block& block) {
    switch (block.use()) {
      case BlockUse::unused:
        expect(false, "a block of a segment is in use for something", block);
        return;
      case BlockUse::live:
        ++live_seen_;
        expect(core_.live_at(block.address) == index, "a live block is found by its address",
               block);
        return;
      case BlockUse::waiting:
        ++totals_.waiting_count;
        waiting_.insert(index);
        return;
      case BlockUse::free:
        expect(!block.has_stream_uses(), "a free block has no other-stream uses", block);
        seen_free_.insert(index);
        return;
      case BlockUse::unmapped:
        expect(block.is_expandable(), "only blocks of expandable segments are unmapped", block);
        seen_unmapped_.insert(index);
        return;
      case BlockUse::being_mapped:
        expect(block.is_expandable(), "only blocks of expandable segments are mapped", block);
        return;
    }
  }

  void count(const Block& block) {
    if (!block.is_mapped()) return;
    const auto half = static_cast<std::size_t>(core_.lane_of(block).kind);
    const auto bytes = static_cast<std::int64_t>(block.size().count);
    totals_.reserved += block.size();
    totals_.reserved_bytes[half] += bytes;
    if (block.use() == BlockUse::live) {
      ++totals_.live_count[half];
      totals_.live_bytes[half] += bytes;
    }
    if (block.use() == BlockUse::live || block.use() == BlockUse::waiting) {
      ++totals_.active_count[half];
      totals_.active_bytes[half] += bytes;
      totals_.requested_bytes[half] += static_cast<std::int64_t>(block.requested.count);
    }
    if (block.use() == BlockUse::free && !block.is_expandable() && !block.is_whole_segment()) {
      ++totals_.split_count[half];
      totals_.split_bytes[half] += bytes;
    }
  }

  void check_pool(const Pool& pool) {
    const Lane* before = nullptr;
    for (const auto& lane : pool.lanes) {
      expect(before == nullptr || before->stream < lane->stream, "lanes lie in order of streams");
      expect(lane->pool == &pool && lane->kind == pool.kind, "a lane knows its pool");
      check_free_set(*lane);
      check_unmapped_set(*lane);
      before = lane.get();
    }
  }

  void check_free_set(const Lane& lane) {
    std::size_t count = 0;
    const Block* before = nullptr;
    Address place_before;
    for (auto at = lane.free.first(); at; at = lane.free.next(at), ++count) {
      const BlockIndex index = lane.free.block_at(at);
      const Block& block = core_.blocks[index];
      const Address place = core_.place_among_same_size(index);
      expect(block.lane() == lane.index && seen_free_.erase(index) == 1,
             "a free set holds the free blocks of its lane, each once", block);
      expect(before == nullptr || before->size() < block.size() ||
                 (before->size() == block.size() && place_before < place),
             "a free set lies in order of size and address or age", block);
      expect(core_.blocks.notes(index).lookup_stamp <= lane.pool->lookup_count,
             "no block is younger than its pool", block);
      before = &block;
      place_before = place;
    }
    expect(count == lane.free.size(), "a free set knows how many blocks it holds");
  }

  void check_unmapped_set(const Lane& lane) {
    Address before{0};
    for (const UnmappedBlocks::Entry& entry : lane.unmapped) {
      const Block& block = core_.blocks[entry.block];
      expect(block.lane() == lane.index && seen_unmapped_.erase(entry.block) == 1 &&
                 block.address == entry.address && before < entry.address,
             "the set of unmapped blocks lies in order of address", block);
      before = entry.address;
    }
  }

  void check_waiting() {
    const std::set<BlockIndex> deferred(frees_.deferred().begin(), frees_.deferred().end());
    expect(deferred.size() == frees_.deferred().size(), "a free is deferred once");
    for (const BlockIndex index : deferred)
      expect(waiting_.contains(index), "a deferred free belongs to a waiting block");
    std::map<BlockIndex, std::uint32_t> awaited;
    frees_.for_each_awaited([&](BlockIndex index) { ++awaited[index]; });
    for (const BlockIndex index : waiting_) {
      const Block& block = core_.blocks[index];
      expect(block.has_stream_uses(), "a waiting block has something to wait for", block);
      if (!block.has_stream_uses()) continue;
      expect(core_.uses[core_.blocks.notes(index).uses].outstanding_events == awaited[index],
             "a waiting block knows how many events it waits for", block);
      expect(awaited[index] > 0 || deferred.contains(index),
             "a waiting block waits for an event or is deferred", block);
    }
    for (const auto& [index, events] : awaited)
      expect(events == 0 || waiting_.contains(index),
             "an awaited event belongs to a waiting block");
  }

  void expect_current(const PooledStatistic& value, const std::array<std::int64_t, 2>& counted,
                      const char* name) {
    expect(value.small_pool.current == counted[0] && value.large_pool.current == counted[1] &&
               value.all.current == counted[0] + counted[1],
           std::string("the statistic ") + name + " agrees with the blocks");
    for (const StatisticValue* each : {&value.all, &value.small_pool, &value.large_pool})
      expect(each->peak >= each->current, std::string("the peak of ") + name + " is its highest");
  }

  void check_statistics(const StatisticValues& values) {
    expect_current(values.allocation, totals_.live_count, "allocation");
    expect_current(values.allocated_bytes, totals_.live_bytes, "allocated_bytes");
    expect_current(values.active, totals_.active_count, "active");
    expect_current(values.active_bytes, totals_.active_bytes, "active_bytes");
    expect_current(values.requested_bytes, totals_.requested_bytes, "requested_bytes");
    expect_current(values.inactive_split, totals_.split_count, "inactive_split");
    expect_current(values.inactive_split_bytes, totals_.split_bytes, "inactive_split_bytes");
    expect_current(values.segment, totals_.segment_count, "segment");
    expect_current(values.reserved_bytes, totals_.reserved_bytes, "reserved_bytes");
  }

  const Core<L>& core_;
  const CrossStreamFrees<L>& frees_;
  std::vector<std::string> broken_;
  Totals totals_;
  std::size_t live_seen_ = 0;
  std::set<BlockIndex> seen_free_;
  std::set<BlockIndex> seen_unmapped_;
  std::set<BlockIndex> waiting_;
};

}  // namespace

template <class L>
std::vector<std::string> find_broken_rules(const CachingAllocator<L>& allocator) {
  return Checker<L>(allocator).run();
}

template std::vector<std::string> find_broken_rules(const BareAllocator&);
template std::vector<std::string> find_broken_rules(const CountingAllocator&);
template std::vector<std::string> find_broken_rules(const RecordingAllocator&);
template std::vector<std::string> find_broken_rules(const ExplainingAllocator&);

/// One look at the allocator of pinned memory. Each function gives the first rule of its part that
/// is broken.
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
