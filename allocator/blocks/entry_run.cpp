#include "allocator/blocks/entry_run.h"

#include <algorithm>

namespace vramlab::allocator {

EntryRun::Slot EntryRun::at_or_above(std::uint64_t key) const {
  const std::size_t at = chunk_of(key);
  const Chunk& chunk = *chunks_[at];
  const std::uint32_t above_count = chunk.count_above(key);
  const bool is_there = above_count < chunk.count && chunk.keys[above_count] == key;
  if (is_there) return slot_of(at, above_count);
  if (above_count > 0) return slot_of(at, above_count - 1);
  return at > 0 ? last_of(at - 1) : end();
}

EntryRun::Slot EntryRun::above(Slot slot) const {
  if (slot % chunk_size > 0) return slot - 1;
  return slot >= chunk_size ? last_of(slot / chunk_size - 1) : end();
}

EntryRun::Slot EntryRun::below(std::uint64_t key) const {
  const std::size_t chunk = chunk_of(key);
  const std::uint32_t not_below = chunks_[chunk]->count_above(key - 1);
  if (not_below < chunks_[chunk]->count) return slot_of(chunk, not_below);
  return chunk + 1 < chunks_.size() ? slot_of(chunk + 1, 0) : end();
}

void EntryRun::add_chunk(std::size_t at) {
  std::unique_ptr<Chunk> chunk;
  if (spare_.empty()) {
    chunk = std::make_unique<Chunk>();
  } else {
    chunk = std::move(spare_.back());
    spare_.pop_back();
  }
  chunks_.insert(chunks_.begin() + static_cast<std::ptrdiff_t>(at), std::move(chunk));
  lowest_keys_.insert(lowest_keys_.begin() + static_cast<std::ptrdiff_t>(at), 0);
}

void EntryRun::split(std::size_t at) {
  add_chunk(at + 1);
  Chunk& upper = *chunks_[at];
  Chunk& lower = *chunks_[at + 1];
  constexpr std::uint32_t half = chunk_size / 2;
  std::copy(upper.keys.begin() + half, upper.keys.end(), lower.keys.begin());
  std::copy(upper.blocks.begin() + half, upper.blocks.end(), lower.blocks.begin());
  std::fill(upper.keys.begin() + half, upper.keys.end(), 0);
  upper.count = half;
  lower.count = chunk_size - half;
  lowest_keys_[at] = upper.keys[half - 1];
  lowest_keys_[at + 1] = lower.keys[lower.count - 1];
}

void EntryRun::drop_chunk(std::size_t at) {
  spare_.push_back(std::move(chunks_[at]));
  chunks_.erase(chunks_.begin() + static_cast<std::ptrdiff_t>(at));
  lowest_keys_.erase(lowest_keys_.begin() + static_cast<std::ptrdiff_t>(at));
}

}  // namespace vramlab::allocator
