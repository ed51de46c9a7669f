// AddressMap: the live blocks by address. Open addressing with linear probing over slots of 8
// bytes: a tag of the address and the block, which knows its address itself. A look-up costs about
// one cache line. Removal moves followers back instead of leaving tombstones, so it never gets
// slower.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "allocator/blocks/block.h"

namespace vramlab::allocator {

class AddressMap {
 public:
  AddressMap() : slots_(std::size_t{1} << initial_bits, empty) {}

  std::size_t size() const { return size_; }

  /// The live block that starts there, or none.
  BlockIndex find(Address address, const BlockArena& blocks) const {
    return block_in(slots_[slot_of(address, blocks)]);
  }

  /// Requires: no block of that address is in the map.
  void insert(Address address, BlockIndex block) {
    if (size_ == room_) [[unlikely]]
      grow();
    place(std::uint64_t{tag_of(address)} << 32 | static_cast<std::uint32_t>(block));
    ++size_;
  }

  /// Removes the block that find() gives, and returns it.
  BlockIndex take(Address address, const BlockArena& blocks) {
    const std::size_t slot = slot_of(address, blocks);
    const Slot found = slots_[slot];
    if (found == empty) [[unlikely]]
      return BlockIndex::none;
    close_gap(slot);
    --size_;
    return block_in(found);
  }

 private:
  /// A tag above the block's index. The slot is one number: two halves that are written one by one
  /// and then read together make the processor wait.
  using Slot = std::uint64_t;
  static constexpr Slot empty = static_cast<std::uint32_t>(BlockIndex::none);
  static constexpr unsigned initial_bits = 10;

  /// The map is a fifth full at most: nearly every look-up is over at its first slot, which can be
  /// foreseen. It is two fifths full where more slots would no longer fit into the nearest caches.
  static constexpr std::size_t room_for(std::size_t slots) {
    return slots <= 16384 ? slots / 5 : slots / 5 * 2;
  }
  static BlockIndex block_in(Slot slot) {
    return static_cast<BlockIndex>(static_cast<std::uint32_t>(slot));
  }
  std::size_t home_of(std::uint32_t tag) const { return tag >> shift_; }
  std::size_t home_of_slot(Slot slot) const {
    return home_of(static_cast<std::uint32_t>(slot >> 32));
  }
  std::size_t after(std::size_t slot) const { return (slot + 1) & mask_; }
  /// Blocks start at multiples of 512 as a rule; addresses between them only share a tag.
  static std::uint32_t tag_of(Address address) {
    return static_cast<std::uint32_t>(((address.value >> 9) * 0x9E3779B97F4A7C15ULL) >> 32);
  }

  /// The slot of the block that starts there, or an empty slot.
  std::size_t slot_of(Address address, const BlockArena& blocks) const {
    const std::uint32_t tag = tag_of(address);
    std::size_t i = home_of(tag);
    for (;; i = after(i)) {
      const Slot slot = slots_[i];
      if (slot == empty) [[unlikely]]
        break;
      if (slot >> 32 == tag && blocks[block_in(slot)].address == address) [[likely]]
        break;
    }
    return i;
  }

  void place(Slot slot) {
    std::size_t i = home_of_slot(slot);
    while (slots_[i] != empty) i = after(i);
    slots_[i] = slot;
  }

  void close_gap(std::size_t gap) {
    for (std::size_t i = after(gap); slots_[i] != empty; i = after(i)) {
      // A follower may move into the gap if its home is not inside (gap, i].
      if (((i - home_of_slot(slots_[i])) & mask_) >= ((i - gap) & mask_)) {
        slots_[gap] = slots_[i];
        gap = i;
      }
    }
    slots_[gap] = empty;
  }

  [[gnu::noinline]] void grow() {
    const std::vector<Slot> old = std::move(slots_);
    slots_ = std::vector<Slot>(old.size() * 2, empty);
    --shift_;
    mask_ = slots_.size() - 1;
    room_ = room_for(slots_.size());
    for (const Slot slot : old)
      if (slot != empty) place(slot);
  }

  std::vector<Slot> slots_;
  /// The number of slots less one.
  std::size_t mask_ = (std::size_t{1} << initial_bits) - 1;
  unsigned shift_ = 32 - initial_bits;
  std::size_t size_ = 0;
  std::size_t room_ = room_for(std::size_t{1} << initial_bits);
};

}  // namespace vramlab::allocator
