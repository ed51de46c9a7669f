#include "replay/holders/held_memory.h"

#include <algorithm>
#include <tuple>

namespace vramlab::replay {

bool HeldMemory::allocate(const HeldBlock& block) {
  const bool is_new = !release(block.key);
  held_.emplace(block.key, block);
  requested_ += block.requested.count;
  return is_new;
}

std::optional<HeldBlock> HeldMemory::release(std::uint64_t key) {
  const auto at = held_.find(key);
  if (at == held_.end()) return std::nullopt;
  const HeldBlock block = at->second;
  held_.erase(at);
  requested_ -= block.requested.count;
  if (was_at_mark(block)) given_back_since_.push_back(block);
  return block;
}

void HeldMemory::release_earlier(HeldBlock block) {
  requested_ -= block.requested.count;
  earlier_released_ += block.requested.count;
  block.event.reset();
  block.time_ns.reset();
  given_back_since_.push_back(block);
}

void HeldMemory::take_back_earlier_releases() {
  requested_ += earlier_released_;
  earlier_released_ = 0;
  std::erase_if(given_back_since_, [](const HeldBlock& block) { return !block.event; });
}

void HeldMemory::mark(std::optional<std::uint64_t> event) {
  mark_ = event;
  given_back_since_.clear();
}

const HeldBlock* HeldMemory::find(std::uint64_t key) const {
  const auto at = held_.find(key);
  return at == held_.end() ? nullptr : &at->second;
}

std::vector<HeldBlock> HeldMemory::held_at_mark() const {
  std::vector<HeldBlock> blocks = given_back_since_;
  for (const auto& [key, block] : held_)
    if (was_at_mark(block)) blocks.push_back(block);
  std::ranges::sort(blocks, {},
                    [](const HeldBlock& block) { return std::tuple(block.event, block.key); });
  return blocks;
}

}  // namespace vramlab::replay
