#include "streams/hazards/shadow_memory.h"

#include <algorithm>
#include <utility>

#include "allocator/types/check.h"

namespace vramlab::streams {
namespace {

/// The piece before `next` of the same access, which was split. Such pieces stand close together.
MemoryAccess* find_piece_before(std::vector<MemoryAccess>& accesses, const MemoryAccess& next) {
  constexpr std::size_t most_looked_at = 32;
  const std::size_t count = std::min(accesses.size(), most_looked_at);
  for (MemoryAccess& access : std::span(accesses).last(count))
    if (access.epoch == next.epoch && access.block == next.block &&
        access.range.end == next.range.begin)
      return &access;
  return nullptr;
}

/// Appends the parts of the accesses that lie in the range.
void add_within(std::vector<MemoryAccess>& to, const std::vector<MemoryAccess>& from,
                AddressRange range) {
  for (MemoryAccess access : from) {
    access.range = common_range(access.range, range);
    if (access.range.is_empty()) continue;
    if (MemoryAccess* before = find_piece_before(to, access))
      before->range.end = access.range.end;
    else
      to.push_back(access);
  }
}

}  // namespace

AddressRange common_range(AddressRange a, AddressRange b) {
  const Address begin = std::max(a.begin, b.begin);
  return {begin, std::max(begin, std::min(a.end, b.end))};
}

ShadowBlock& ShadowMemory::hand_out(const ShadowBlock& block) {
  check(block.number > last_, "numbers of blocks grow with each hand-out");
  last_ = block.number;
  if (free_places_.empty()) {
    free_places_.push_back(static_cast<std::uint32_t>(blocks_.size()));
    blocks_.emplace_back();
  }
  index_.add(block.number, free_places_.back());
  ShadowBlock& made = blocks_[free_places_.back()];
  free_places_.pop_back();
  made = block;
  if (made.is_of_graph)
    link_graph_block(made);
  else
    made.accesses = take(made.stream.device, made.range);
  return made;
}

ShadowBlock* ShadowMemory::find(BlockNumber block) {
  const std::uint32_t place = index_.find(block);
  if (place != BlockIndex::none) return &blocks_[place];
  check(block <= last_, "only memory that was handed out can be used");
  return nullptr;
}

const FreedBlock* ShadowMemory::find_freed(BlockNumber block) const {
  const auto found = std::ranges::find(freed_, block, &FreedBlock::number);
  return found == freed_.end() ? nullptr : &*found;
}

void ShadowMemory::forget(const ShadowBlock& block) {
  free_places_.push_back(index_.find(block.number));
  index_.erase(block.number);
}

void ShadowMemory::free(ShadowBlock& block, const HazardSide& side,
                        std::span<const VectorClock* const> ended) {
  if (freed_.size() < most_freed) freed_.emplace_back();
  freed_[next_freed_] = {block.number, block.range, side};
  next_freed_ = (next_freed_ + 1) % most_freed;
  block.is_freed = true;
  // Accesses by launches go on to matter.
  if (block.is_of_graph) return;
  std::erase_if(block.accesses,
                [&](const MemoryAccess& access) { return is_covered(access.epoch, ended); });
  if (!block.accesses.empty())
    remains_[{block.stream.device, block.range.begin.value}] = {block.range.end.value,
                                                                std::exchange(block.accesses, {})};
  forget(block);
}

void ShadowMemory::release(std::uint32_t device, AddressRange range) {
  take(device, range);
  forget_graph_blocks(device, range);
}

/// The first remains that end behind the begin of the range.
ShadowMemory::RemainsMap::iterator ShadowMemory::first_at(std::uint32_t device,
                                                          AddressRange range) {
  auto next = remains_.lower_bound({device, range.begin.value});
  if (next == remains_.begin()) return next;
  const auto before = std::prev(next);
  return before->first.device == device && before->second.end > range.begin.value ? before : next;
}

/// Takes the accesses in the range out of the remains.
std::vector<MemoryAccess> ShadowMemory::take(std::uint32_t device, AddressRange range) {
  std::vector<MemoryAccess> taken;
  auto next = first_at(device, range);
  while (next != remains_.end() && next->first.device == device &&
         next->first.begin < range.end.value) {
    const AddressRange whole{{next->first.begin}, {next->second.end}};
    const std::vector<MemoryAccess> accesses = std::move(next->second.accesses);
    next = remains_.erase(next);
    if (taken.empty() && range.begin <= whole.begin && whole.end <= range.end) {
      taken = accesses;
      continue;
    }
    add_within(taken, accesses, range);
    keep(device, {whole.begin, range.begin}, accesses);
    keep(device, {range.end, whole.end}, accesses);
  }
  return taken;
}

void ShadowMemory::keep(std::uint32_t device, AddressRange range,
                        const std::vector<MemoryAccess>& accesses) {
  if (range.begin >= range.end) return;
  Remains remains{range.end.value, {}};
  add_within(remains.accesses, accesses, range);
  if (!remains.accesses.empty())
    remains_.insert_or_assign(Place{device, range.begin.value}, std::move(remains));
}

std::span<const BlockNumber> ShadowMemory::overlapping(const ShadowBlock& block) const {
  if (!block.is_of_graph) return {};
  return graph_blocks_.at(block.number);
}

void ShadowMemory::link_graph_block(const ShadowBlock& block) {
  std::vector<BlockNumber> linked;
  for (auto& [number, others] : graph_blocks_) {
    const ShadowBlock& other = at(number);
    if (other.stream.device != block.stream.device ||
        common_range(other.range, block.range).is_empty())
      continue;
    others.push_back(block.number);
    linked.push_back(number);
  }
  graph_blocks_.emplace(block.number, std::move(linked));
}

void ShadowMemory::forget_graph_blocks(std::uint32_t device, AddressRange range) {
  std::erase_if(graph_blocks_, [&](const auto& entry) {
    const ShadowBlock& block = at(entry.first);
    if (!block.is_freed || block.stream.device != device ||
        common_range(block.range, range).is_empty())
      return false;
    for (const BlockNumber other : entry.second)
      if (const auto found = graph_blocks_.find(other); found != graph_blocks_.end())
        std::erase(found->second, entry.first);
    forget(block);
    return true;
  });
}

std::vector<bool> ShadowMemory::used_lines(std::size_t line_count) const {
  std::vector<bool> is_used(line_count);
  const auto mark = [&](const std::vector<MemoryAccess>& accesses) {
    for (const MemoryAccess& access : accesses) is_used[access.epoch.line.value] = true;
  };
  for (const ShadowBlock& block : blocks_) mark(block.accesses);
  for (const auto& [place, remains] : remains_) mark(remains.accesses);
  return is_used;
}

}  // namespace vramlab::streams
