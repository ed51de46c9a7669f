#include "replay/follow/block_extents.h"

#include "allocator/options/size_rules.h"

namespace vramlab::replay {
namespace {

using allocator::Action;
using allocator::Address;
using allocator::Bytes;

/// A block whose rest may be its own or a free block.
struct OpenBlock {
  Address end_of_request;
  /// Where the next block or the end of the segment is.
  Address end_of_room;
  std::optional<Address> landing;
};

class ExtentFinder {
 public:
  ExtentFinder(const DeviceHistory& history, const StateThen& then,
               const allocator::Settings& settings)
      : history_(history), then_(then), settings_(settings) {}

  BlockExtents find() {
    for (auto at = then_.blocks.begin(); at != then_.blocks.end(); ++at) look_at(at);
    watch_landings();
    for (const auto& [address, block] : done_) settle(address, block);
    for (const auto& [address, block] : open_) settle(address, block);
    return std::move(extents_);
  }

 private:
  using BlockPlace = std::map<Address, BlockThen>::const_iterator;

  void look_at(BlockPlace at);
  void watch_landings();
  void note_landing(Address at);
  void settle(Address address, const OpenBlock& block);

  const DeviceHistory& history_;
  const StateThen& then_;
  const allocator::Settings& settings_;
  BlockExtents extents_;
  std::map<Address, OpenBlock> open_;
  std::map<Address, OpenBlock> done_;
};

void ExtentFinder::look_at(BlockPlace at) {
  const auto& [address, block] = *at;
  if (block.exact_size) {
    extents_.sizes[address] = *block.exact_size;
    return;
  }
  const Bytes rounded = round_request(block.requested, settings_);
  extents_.sizes[address] = rounded;
  auto segment = then_.classic.upper_bound(address);
  if (segment == then_.classic.begin()) return;
  --segment;
  const Address segment_end = segment->first + segment->second.size;
  if (address >= segment_end || segment->second.kind == allocator::PoolKind::small) return;
  const auto next = std::next(at);
  const Address end_of_room =
      next != then_.blocks.end() && next->first < segment_end ? next->first : segment_end;
  if (end_of_room > address + rounded) open_[address] = {address + rounded, end_of_room, {}};
}

/// The first request that is placed behind an open block while it lives shows where its rest ends.
void ExtentFinder::watch_landings() {
  for (const allocator::AllocatorEvent& event : history_.events) {
    if (open_.empty()) return;
    if (event.action == Action::alloc) note_landing(event.address);
    if (event.action != Action::free_completed) continue;
    if (const auto freed = open_.find(event.address); freed != open_.end())
      done_.insert(open_.extract(freed));
  }
}

void ExtentFinder::note_landing(Address at) {
  auto open = open_.upper_bound(at);
  if (open == open_.begin()) return;
  --open;
  OpenBlock& block = open->second;
  if (at >= block.end_of_room || at < block.end_of_request) return;
  block.landing = at;
  done_.insert(open_.extract(open));
}

void ExtentFinder::settle(Address address, const OpenBlock& block) {
  const Bytes room = block.end_of_room - block.end_of_request;
  Bytes& size = extents_.sizes[address];
  if (block.landing && *block.landing - block.end_of_request <= allocator::large_remainder) {
    size = *block.landing - address;
    return;
  }
  if (size >= settings_.max_split_size || room <= allocator::large_remainder)
    size += room;
  else if (!block.landing)
    ++extents_.assumed_count;
}

}  // namespace

BlockExtents find_extents(const DeviceHistory& history, const StateThen& then,
                          const allocator::Settings& settings) {
  return ExtentFinder(history, then, settings).find();
}

}  // namespace vramlab::replay
