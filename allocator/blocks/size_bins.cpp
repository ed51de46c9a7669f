#include "allocator/blocks/size_bins.h"

#include <algorithm>
#include <new>

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

std::uint32_t SizeBins::previous_bin(std::uint32_t from) const {
  for (std::uint32_t word = from / 64 + 1; word-- > 0;) {
    std::uint64_t bits = filled_[word];
    if (word == from / 64) bits &= ~std::uint64_t{0} >> (63 - from % 64);
    if (bits != 0) return word * 64 + 63 - static_cast<std::uint32_t>(std::countl_zero(bits));
  }
  return no_bin;
}

/// The first block of the bin that does not come before the key, else the first of the next bin.
SizeBins::Cursor SizeBins::at_or_after_in(std::uint32_t in, SizeKey key) const {
  const Bin& bin = bins_[in];
  if (bin.run != nullptr) {
    const EntryRun::Slot slot = bin.run->at_or_above(key);
    if (slot != EntryRun::end()) return {in, slot};
  } else if (const std::uint32_t fitting = count_above(bin.keys.data(), bin.count, key - 1);
             fitting > 0) {
    return {in, fitting - 1};
  }
  return bottom_of(next_bin(in + 1));
}

SizeBins::Cursor SizeBins::next(Cursor at) const {
  const Bin& bin = bins_[at.bin];
  if (bin.run == nullptr) {
    if (at.slot > 0) return {at.bin, at.slot - 1};
  } else if (const EntryRun::Slot above = bin.run->above(at.slot); above != EntryRun::end()) {
    return {at.bin, above};
  }
  return bottom_of(next_bin(at.bin + 1));
}

SizeBins::Cursor SizeBins::before(std::uint32_t in, SizeKey key) const {
  if (size_ == 0) return {};
  const Bin& bin = bins_[in];
  if (bin.count > 0 && key > 0) {
    const std::uint32_t slot =
        bin.run != nullptr ? bin.run->below(key) : count_above(bin.keys.data(), bin.count, key - 1);
    const bool is_there = bin.run != nullptr ? slot != EntryRun::end() : slot < bin.count;
    if (is_there) return {in, slot};
  }
  return in == 0 ? Cursor{} : top_of(previous_bin(in - 1));
}

void SizeBins::start_run(Bin& bin) {
  runs_.push_back(std::make_unique<EntryRun>());
  bin.run = runs_.back().get();
  for (std::uint32_t i = 0; i < few; ++i) bin.run->insert(bin.keys[i], bin.blocks[i]);
}

void SizeBins::create_bins() {
  // calloc gives pages that are zero without being touched; a zeroed bin is an empty one.
  constexpr std::size_t bytes = sizeof(Bin) * bin_count;
  std::size_t room = bytes + alignof(Bin);
  memory_.reset(std::calloc(1, room));
  if (!memory_) throw std::bad_alloc();
  void* aligned = memory_.get();
  bins_ = static_cast<Bin*>(std::align(alignof(Bin), bytes, aligned, room));
}

}  // namespace vramlab::allocator
