#include "tools/preload/shim/engine_cache.h"

namespace vramlab::shim {

using allocator::Address;
using allocator::Block;
using allocator::BlockIndex;
using allocator::BlockUse;
using allocator::Bytes;
using allocator::Segment;

template <class Engine>
std::optional<Address> EngineCache<Engine>::allocate(Bytes size) {
  note_time_of_call();
  const allocator::MallocResult result = engine_.malloc(size, owner_stream);
  if (!result) return std::nullopt;
  return result.address;
}

template <class Engine>
void EngineCache<Engine>::free(Address at, Fence& fence) {
  note_time_of_call();
  device_->have_at_hand(fence);
  engine_.record_stream(at, fence_stream);
  engine_.free(at);
}

template <class Engine>
const Segment* EngineCache<Engine>::segment_around(Address at) const {
  const auto& core = engine_.core();
  const auto& segments = core.segments.by_address();
  const auto above = segments.upper_bound(at);
  if (above == segments.begin()) return nullptr;
  const Segment& segment = core.segments[std::prev(above)->second];
  return at < segment.base + segment.size ? &segment : nullptr;
}

template <class Engine>
std::optional<HeldBlock> EngineCache<Engine>::held_around(Address at) const {
  const Segment* segment = segment_around(at);
  if (segment == nullptr) return std::nullopt;
  const auto& blocks = engine_.core().blocks;
  for (BlockIndex i = segment->first; i != BlockIndex::none; i = blocks[i].next) {
    const Block& block = blocks[i];
    if (at < block.address || at >= block.end()) continue;
    if (block.use() != BlockUse::live) return std::nullopt;
    return HeldBlock{block.address, block.size(), segment->base, segment->size,
                     segment->is_expandable};
  }
  return std::nullopt;
}

template <class Engine>
bool EngineCache<Engine>::release_segment(Address at, const std::function<bool(Address)>& may_go) {
  const Segment* segment = segment_around(at);
  if (segment == nullptr) return false;
  const Address base = segment->base;
  const bool is_expandable = segment->is_expandable;
  const auto& blocks = engine_.core().blocks;
  std::vector<Address> going;
  for (BlockIndex i = segment->first; i != BlockIndex::none; i = blocks[i].next) {
    if (blocks[i].use() == BlockUse::waiting || blocks[i].use() == BlockUse::being_mapped)
      return false;
    if (blocks[i].use() != BlockUse::live) continue;
    if (!may_go(blocks[i].address)) return false;
    going.push_back(blocks[i].address);
  }
  for (const Address block : going) engine_.free(block);
  if (is_expandable) {
    // Several of them may have become one free block by now.
    for (const Address block : going)
      if (engine_.can_unmap_named(block)) engine_.unmap_named(block);
    return true;
  }
  if (!engine_.can_release_named(base)) return false;
  engine_.release_named(base);
  return true;
}

template <class Engine>
Bytes EngineCache<Engine>::idle(const std::vector<Address>& freed) const {
  const auto& statistics = engine_.listeners();
  Bytes idle{static_cast<std::uint64_t>(statistics.current_reserved_bytes() -
                                        statistics.current_allocated_bytes())};
  const auto& core = engine_.core();
  for (const Address at : freed) idle += core.blocks[core.live.find(at)].size();
  return idle;
}

template <class Engine>
std::vector<allocator::AllocatorEvent> EngineCache<Engine>::history() const {
  if constexpr (has_history) return engine_.listeners().entries();
  return {};
}

std::unique_ptr<BlockCache> make_engine_cache(std::unique_ptr<ArenaDevice> device,
                                              const EngineOptions& options) {
  using allocator::CountingAllocator;
  using allocator::RecordingAllocator;
  if (options.history_entries == 0)
    return std::make_unique<EngineCache<CountingAllocator>>(std::move(device), options);
  return std::make_unique<EngineCache<RecordingAllocator>>(std::move(device), options);
}

}  // namespace vramlab::shim
