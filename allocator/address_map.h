// AddressMap: the live blocks by address. Open addressing with linear probing in one array, at most
// half full, so that a look-up costs about one cache line; removal moves followers back instead of
// leaving tombstones, so that it never gets slower.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "allocator/block.h"

namespace vramlab::allocator {

class AddressMap {
 public:
  AddressMap() : slots_(std::size_t{1} << initial_bits), shift_(64 - initial_bits) {}

  std::size_t size() const { return size_; }

  /// None where no live block starts there.
  BlockIndex find(Address address) const {
    for (std::size_t i = home_of(address.value);; i = (i + 1) & mask()) {
      if (slots_[i].key == address.value) return slots_[i].block;
      if (slots_[i].key == 0) return BlockIndex::none;
    }
  }

  /// Requires: the address is not 0 and not in the map.
  void insert(Address address, BlockIndex block) {
    if (2 * (size_ + 1) > slots_.size()) [[unlikely]]
      grow();
    std::size_t i = home_of(address.value);
    while (slots_[i].key != 0) i = (i + 1) & mask();
    slots_[i] = {address.value, block};
    ++size_;
  }

  /// Removes and returns what find() gives.
  BlockIndex take(Address address) {
    std::size_t i = home_of(address.value);
    while (slots_[i].key != address.value) {
      if (slots_[i].key == 0) return BlockIndex::none;
      i = (i + 1) & mask();
    }
    const BlockIndex block = slots_[i].block;
    close_gap(i);
    --size_;
    return block;
  }

 private:
  static constexpr unsigned initial_bits = 10;
  struct Slot {
    std::uint64_t key = 0;
    BlockIndex block = BlockIndex::none;
  };

  std::size_t mask() const { return slots_.size() - 1; }

  /// Blocks start at multiples of 512 in nearly all cases; the multiplication spreads the rest.
  std::size_t home_of(std::uint64_t key) const {
    return static_cast<std::size_t>(((key >> 9) * 0x9E3779B97F4A7C15ULL) >> shift_);
  }

  void close_gap(std::size_t gap) {
    for (std::size_t i = (gap + 1) & mask(); slots_[i].key != 0; i = (i + 1) & mask()) {
      const std::size_t home = home_of(slots_[i].key);
      // A follower may move into the gap if its home is not inside (gap, i].
      if (((i - home) & mask()) >= ((i - gap) & mask())) {
        slots_[gap] = slots_[i];
        gap = i;
      }
    }
    slots_[gap] = {};
  }

  void grow() {
    std::vector<Slot> old = std::move(slots_);
    slots_ = std::vector<Slot>(old.size() * 2);
    --shift_;
    size_ = 0;
    for (const Slot& slot : old)
      if (slot.key != 0) insert({slot.key}, slot.block);
  }

  std::vector<Slot> slots_;
  unsigned shift_;
  std::size_t size_ = 0;
};

}  // namespace vramlab::allocator
