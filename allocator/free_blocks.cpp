#include "allocator/free_blocks.h"

#include <algorithm>
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

FreeBlocks::Cursor FreeBlocks::previous(Cursor at) const {
  if (at.slot + 1 < bins_[at.bin].count) return {at.bin, at.slot + 1};
  return at.bin == 0 ? Cursor{} : top_of(previous_bin(at.bin - 1));
}

void FreeBlocks::make_room(Bin& bin) {
  const std::uint32_t capacity = bin.capacity == 0 ? 16 : bin.capacity * 2;
  auto larger = std::make_unique_for_overwrite<Entry[]>(capacity);
  std::copy_n(entries_of(bin), bin.count, larger.get());
  const auto old = std::find_if(overflow_.begin(), overflow_.end(),
                                [&bin](const auto& entries) { return entries.get() == bin.many; });
  bin.many = larger.get();
  bin.capacity = capacity;
  if (old == overflow_.end())
    overflow_.push_back(std::move(larger));
  else
    *old = std::move(larger);
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
