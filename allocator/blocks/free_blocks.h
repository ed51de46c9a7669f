// FreeBlocks: the free blocks of one lane, ordered by (size, address), for exact best fit. A
// version that prefers older blocks gives a number in place of each address.
//
// Most blocks leave the set soon after they came: a request is cut off the rest of the last one, a
// free merges with the block freed just before. So the two that came last stand apart, in no order,
// and only blocks that stay go to the bins, which keep any number of blocks in order.
#pragma once

#include <array>

#include "allocator/blocks/size_bins.h"

namespace vramlab::allocator {

class FreeBlocks {
 public:
  /// A place in the order; valid until the next change.
  using Cursor = SizeBins::Cursor;

  bool is_empty() const { return size() == 0; }
  std::size_t size() const;

  /// Requires: a size and an address below the limits of block.h, in no block of the set.
  void insert(Bytes size, Address address, BlockIndex block);
  /// Requires: that block is in the set, with this size and address.
  Cursor place_of(Bytes size, Address address, BlockIndex block) const;
  void remove_at(Cursor at);
  /// A block comes in place of one that leaves: most are its rest after a split, or the block that
  /// it became a part of.
  void replace_at(Cursor at, Bytes size, Address address, BlockIndex block);

  /// The first block of at least this size.
  Cursor at_or_after(Bytes size) const {
    return at_or_after(SizeBins::bin_of(size), size_key(size, {}));
  }
  Cursor first() const { return at_or_after(0, 1); }
  Cursor last() const;
  Cursor next(Cursor at) const {
    if (bins_.size() > 0) return next_of_all(at);
    const std::uint32_t other = 1 - at.slot;
    return recent_keys_[other] > recent_keys_[at.slot] ? Cursor{recent_bin, other} : Cursor{};
  }
  Cursor previous(Cursor at) const;

  BlockIndex block_at(Cursor at) const {
    return is_recent(at) ? recent_blocks_[at.slot] : bins_.block_at(at);
  }

 private:
  /// In place of a bin, for the recent blocks.
  static constexpr std::uint32_t recent_bin = SizeBins::no_bin - 1;
  /// Among more blocks than these few leave soon: keeping the last ones apart would only cost.
  static constexpr std::size_t most_in_bins = 1024;

  static bool is_recent(Cursor at) { return at.bin == recent_bin; }
  /// The bin of a recent block, whose key holds all of its size.
  static std::uint32_t bin_of_key(SizeKey key) { return SizeBins::bin_of(size_of_key(key)); }
  /// To compare with the keys of recent blocks: above all of them for larger blocks, and for none.
  SizeKey comparable_key(Cursor in_bins) const {
    if (in_bins.bin >= SizeBins::first_bin_beyond_keys) [[unlikely]]
      return ~SizeKey{0};
    return bins_.key_at(in_bins);
  }
  Cursor at_or_after(std::uint32_t bin, SizeKey key) const {
    const Cursor in_bins = bins_.size() == 0 ? Cursor{} : bins_.at_or_after(bin, key);
    if (bin >= SizeBins::first_bin_beyond_keys) [[unlikely]]
      return in_bins;
    return nearest(key, in_bins);
  }
  Cursor nearest(SizeKey key, Cursor in_bins) const;
  Cursor nearest_before(SizeKey key, Cursor in_bins) const;
  Cursor next_of_all(Cursor at) const;

  /// The two recent blocks, the one that came last first if both are there; 0 for none.
  std::array<SizeKey, 2> recent_keys_{};
  std::array<BlockIndex, 2> recent_blocks_{BlockIndex::none, BlockIndex::none};
  SizeBins bins_;
};

/// The first of the recent blocks that do not come before the key, or the block from the bins,
/// whichever comes first.
inline FreeBlocks::Cursor FreeBlocks::nearest(SizeKey key, Cursor in_bins) const {
  // Distances from the key, without branches: which is the shortest cannot be foreseen. A recent
  // block before the key, or none, wraps around to a distance that is too long.
  const SizeKey newest = recent_keys_[0] - key;
  const SizeKey older = recent_keys_[1] - key;
  const SizeKey recent = older < newest ? older : newest;
  const std::uint32_t slot = older < newest ? 1 : 0;
  return recent < comparable_key(in_bins) - key ? Cursor{recent_bin, slot} : in_bins;
}

inline void FreeBlocks::insert(Bytes size, Address address, BlockIndex block) {
  const SizeKey key = size_key(size, address);
  if (size >= size_beyond_keys || bins_.size() > most_in_bins) [[unlikely]]
    return bins_.insert(SizeBins::bin_of(size), key, block);
  if (recent_keys_[0] != 0) {
    if (recent_keys_[1] != 0)
      bins_.insert(bin_of_key(recent_keys_[1]), recent_keys_[1], recent_blocks_[1]);
    recent_keys_[1] = recent_keys_[0];
    recent_blocks_[1] = recent_blocks_[0];
  }
  recent_keys_[0] = key;
  recent_blocks_[0] = block;
}

inline FreeBlocks::Cursor FreeBlocks::place_of(Bytes size, Address address,
                                               BlockIndex block) const {
  // A product is zero if one of its factors is: one branch and not two.
  const auto distance_to = [block](BlockIndex recent) {
    return std::uint64_t{static_cast<std::uint32_t>(recent) ^ static_cast<std::uint32_t>(block)};
  };
  const std::uint64_t to_older = distance_to(recent_blocks_[1]);
  if (distance_to(recent_blocks_[0]) * to_older == 0) return {recent_bin, to_older == 0 ? 1U : 0U};
  return bins_.place_of(SizeBins::bin_of(size), size_key(size, address));
}

inline void FreeBlocks::replace_at(Cursor at, Bytes size, Address address, BlockIndex block) {
  if (!is_recent(at) || size >= size_beyond_keys) {
    remove_at(at);
    return insert(size, address, block);
  }
  // The block is the newest one now; the other one stays, or becomes the older one.
  recent_keys_[1] = recent_keys_[1 - at.slot];
  recent_blocks_[1] = recent_blocks_[1 - at.slot];
  recent_keys_[0] = size_key(size, address);
  recent_blocks_[0] = block;
}

inline void FreeBlocks::remove_at(Cursor at) {
  if (!is_recent(at)) return bins_.remove_at(at);
  recent_keys_[at.slot] = 0;
  recent_blocks_[at.slot] = BlockIndex::none;
}

}  // namespace vramlab::allocator
