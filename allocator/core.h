// Core: the state that all rules work on, with the few moves that keep it whole: into the free set,
// out of it, and opening a stream's lane. What the rules do with it is in the files above this one.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "allocator/address_map.h"
#include "allocator/block_arena.h"
#include "allocator/block_chain.h"
#include "allocator/check.h"
#include "allocator/device.h"
#include "allocator/listeners.h"
#include "allocator/pool.h"
#include "allocator/reference_version.h"
#include "allocator/segment.h"
#include "allocator/settings.h"
#include "allocator/stream_uses.h"

namespace vramlab::allocator {

template <class L>
struct Core {
  Core(Device& on_device, const ReferenceVersion& of_version)
      : device(on_device), version(of_version), device_total(on_device.memory_info().total) {}
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  Device& device;
  const ReferenceVersion& version;
  Bytes device_total;
  Settings settings;
  /// Nothing until a memory fraction limits the allocator.
  std::optional<Bytes> allowed;
  Bytes reserved;

  BlockArena blocks;
  SegmentTable segments;
  BlockChain chain{blocks, segments};
  AddressMap live;
  StreamUsesTable uses;
  Pool small{default_pool, PoolKind::small};
  Pool large{default_pool, PoolKind::large};
  std::map<PoolId, std::unique_ptr<PrivatePool>> private_pools;
  std::uint32_t lane_count = 0;
  L listeners;

  /// Ages are counted and garbage is collected only with a limit and a threshold.
  bool collects_garbage() const {
    return allowed.has_value() && settings.garbage_collection_threshold > 0;
  }

  /// A private pool that nobody uses any more is there until its memory is gone.
  PrivatePool* find_private_pool(PoolId id) const {
    const auto found = private_pools.find(id);
    return found == private_pools.end() ? nullptr : found->second.get();
  }

  Lane& lane_of(Pool& pool, StreamId stream) {
    if (Lane* lane = pool.find_lane(stream)) [[likely]]
      return *lane;
    Lane& lane = pool.add_lane(stream, lane_count++);
    listeners.lane_opened(lane);
    return lane;
  }

  /// The segment's first block is all of it, in no set yet.
  void open_segment_with(BlockIndex index, SegmentIndex segment) {
    const Segment& all = segments[segment];
    Block& block = blocks[index];
    block = Block{};
    block.address = all.base;
    block.size = all.size;
    block.lane = all.lane;
    block.segment = segment;
    block.is_expandable = all.is_expandable;
  }

  void enter_free_set(BlockIndex index) {
    Block& block = blocks[index];
    block.use = BlockUse::free;
    block.lookup_stamp = block.lane->pool->lookup_count;
    block.lane->free.insert(block.size, block.address, index);
  }
  void leave_free_set(const Block& block) { block.lane->free.remove(block.size, block.address); }

  void enter_unmapped_set(BlockIndex index) {
    Block& block = blocks[index];
    block.use = BlockUse::unmapped;
    block.lane->unmapped.insert(block.address, index);
  }

  bool has_use(BlockIndex index, BlockUse use) const {
    return index != BlockIndex::none && blocks[index].use == use;
  }
};

inline BlockFact fact_of(const Block& block) {
  return {block.address, block.size, block.requested, *block.lane};
}

inline Oversize oversize_of(Bytes size, const Settings& settings) {
  return size >= settings.max_split_size ? Oversize::yes : Oversize::no;
}

}  // namespace vramlab::allocator
