// AddressMap: the live blocks by address. Open addressing with linear probing over slots of 8
// bytes: a tag of the address and the block, which knows its address itself. A look-up costs about
// one cache line. Removal moves followers back instead of leaving tombstones, so it never gets
// slower.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "allocator/shapes/block_arena.h"

namespace vramlab::allocator {

class AddressMap {
 public:
  explicit AddressMap(const BlockArena& blocks)
      : blocks_(blocks), slots_(std::size_t{1} << initial_bits), shift_(32 - initial_bits) {}

  std::size_t size() const { return size_; }

  /// None where no live block starts there.
  BlockIndex find(Address address) const {
    const std::size_t slot = slot_of(address);
    return slot == no_slot ? BlockIndex::none : slots_[slot].block;
  }

  /// Requires: the block's address is not in the map.
  void insert(BlockIndex block) {
    if (size_ == room_) [[unlikely]]
      grow();
    place({tag_of(blocks_[block].address), block});
    ++size_;
  }

  /// Removes and returns what find() gives.
  BlockIndex take(Address address) {
    const std::size_t slot = slot_of(address);
    if (slot == no_slot) [[unlikely]]
      return BlockIndex::none;
    const BlockIndex block = slots_[slot].block;
    close_gap(slot);
    --size_;
    return block;
  }

 private:
  static constexpr unsigned initial_bits = 10;
  static constexpr std::size_t no_slot = ~std::size_t{0};
  struct Slot {
    std::uint32_t tag = 0;
    BlockIndex block = BlockIndex::none;
  };

  /// A fifth full at most: nearly every look-up is over at its first slot, which can be foreseen.
  /// Two fifths where more slots would no longer fit into the nearest caches.
  static constexpr std::size_t room_for(std::size_t slots) {
    return slots <= 16384 ? slots / 5 : slots / 5 * 2;
  }
  std::size_t mask() const { return slots_.size() - 1; }
  std::size_t home_of(std::uint32_t tag) const { return tag >> shift_; }
  /// Blocks start at multiples of 512 as a rule; addresses between them only share a tag.
  static std::uint32_t tag_of(Address address) {
    return static_cast<std::uint32_t>(((address.value >> 9) * 0x9E3779B97F4A7C15ULL) >> 32);
  }

  std::size_t slot_of(Address address) const {
    const std::uint32_t tag = tag_of(address);
    for (std::size_t i = home_of(tag);; i = (i + 1) & mask()) {
      const Slot slot = slots_[i];
      if (slot.block == BlockIndex::none) return no_slot;
      if (slot.tag == tag && blocks_[slot.block].address == address) [[likely]]
        return i;
    }
  }

  void place(Slot slot) {
    std::size_t i = home_of(slot.tag);
    while (slots_[i].block != BlockIndex::none) i = (i + 1) & mask();
    slots_[i] = slot;
  }

  void close_gap(std::size_t gap) {
    for (std::size_t i = (gap + 1) & mask(); slots_[i].block != BlockIndex::none;
         i = (i + 1) & mask()) {
      // A follower may move into the gap if its home is not inside (gap, i].
      if (((i - home_of(slots_[i].tag)) & mask()) >= ((i - gap) & mask())) {
        slots_[gap] = slots_[i];
        gap = i;
      }
    }
    slots_[gap] = {};
  }

  [[gnu::noinline]] void grow() {
    const std::vector<Slot> old = std::move(slots_);
    slots_ = std::vector<Slot>(old.size() * 2);
    --shift_;
    room_ = room_for(slots_.size());
    for (const Slot& slot : old)
      if (slot.block != BlockIndex::none) place(slot);
  }

  const BlockArena& blocks_;
  std::vector<Slot> slots_;
  unsigned shift_;
  std::size_t size_ = 0;
  std::size_t room_ = room_for(std::size_t{1} << initial_bits);
};

}  // namespace vramlab::allocator
