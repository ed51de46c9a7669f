#include "allocator/shapes/free_blocks.h"

#include <new>

namespace vramlab::allocator {

std::uint32_t FreeBlocks::previous_bin(std::uint32_t from) const {
  for (std::uint32_t word = from / 64 + 1; word-- > 0;) {
    std::uint64_t bits = filled_[word];
    if (word == from / 64) bits &= ~std::uint64_t{0} >> (63 - from % 64);
    if (bits != 0) return word * 64 + 63 - static_cast<std::uint32_t>(std::countl_zero(bits));
  }
  return no_bin;
}

/// The smallest block of the bin that is large enough, else whatever the next bin holds.
FreeBlocks::Cursor FreeBlocks::at_or_after_in_own_bin(const Place& place) const {
  const Bin& bin = bins_[place.bin];
  if (bin.run != nullptr) {
    const EntryRun::Slot slot = bin.run->at_or_above(place.size_key);
    if (slot != EntryRun::end()) return {place.bin, slot};
  } else if (const std::uint32_t fitting =
                 count_above(bin.keys.data(), bin.count, place.size_key - 1);
             fitting > 0) {
    return {place.bin, fitting - 1};
  }
  return bottom_of(next_bin(place.bin + 1));
}

FreeBlocks::Cursor FreeBlocks::next(Cursor at) const {
  const Bin& bin = bins_[at.bin];
  if (bin.run == nullptr) {
    if (at.slot > 0) return {at.bin, at.slot - 1};
  } else if (const EntryRun::Slot above = bin.run->above(at.slot); above != EntryRun::end()) {
    return {at.bin, above};
  }
  return bottom_of(next_bin(at.bin + 1));
}

FreeBlocks::Cursor FreeBlocks::previous(Cursor at) const {
  const Bin& bin = bins_[at.bin];
  if (bin.run == nullptr) {
    if (at.slot + 1 < bin.count) return {at.bin, at.slot + 1};
  } else if (const EntryRun::Slot below = bin.run->below(at.slot); below != EntryRun::end()) {
    return {at.bin, below};
  }
  return at.bin == 0 ? Cursor{} : top_of(previous_bin(at.bin - 1));
}

void FreeBlocks::start_run(Bin& bin) {
  runs_.push_back(std::make_unique<EntryRun>());
  bin.run = runs_.back().get();
  for (std::uint32_t i = 0; i < few; ++i) bin.run->insert(bin.keys[i], bin.blocks[i]);
}

void FreeBlocks::create_bins() {
  // calloc gives pages that are zero without being touched; a zeroed bin is an empty one.
  constexpr std::size_t bytes = sizeof(Bin) * bin_count;
  std::size_t room = bytes + alignof(Bin);
  memory_.reset(std::calloc(1, room));
  if (!memory_) throw std::bad_alloc();
  void* aligned = memory_.get();
  bins_ = static_cast<Bin*>(std::align(alignof(Bin), bytes, aligned, room));
}

}  // namespace vramlab::allocator
