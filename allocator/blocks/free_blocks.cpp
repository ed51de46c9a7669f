#include "allocator/blocks/free_blocks.h"

namespace vramlab::allocator {

std::size_t FreeBlocks::size() const {
  return bins_.size() + (recent_keys_[0] != 0 ? 1 : 0) + (recent_keys_[1] != 0 ? 1 : 0);
}

FreeBlocks::Cursor FreeBlocks::last() const {
  return nearest_before(~SizeKey{0}, bins_.size() == 0 ? Cursor{} : bins_.last());
}

FreeBlocks::Cursor FreeBlocks::next_of_all(Cursor at) const {
  if (is_recent(at)) {
    const SizeKey key = recent_keys_[at.slot];
    return at_or_after(bin_of_key(key), key + 1);
  }
  const Cursor in_bins = bins_.next(at);
  // Recent blocks come before all that are too large for their keys.
  if (at.bin >= SizeBins::first_bin_beyond_keys) return in_bins;
  return nearest(bins_.key_at(at) + 1, in_bins);
}

FreeBlocks::Cursor FreeBlocks::previous(Cursor at) const {
  if (is_recent(at)) {
    const SizeKey key = recent_keys_[at.slot];
    return nearest_before(key, bins_.before(bin_of_key(key), key));
  }
  return nearest_before(comparable_key(at), bins_.before(at.bin, bins_.key_at(at)));
}

/// The last of the recent blocks that come before the key, or the block from the bins, whichever
/// comes last.
FreeBlocks::Cursor FreeBlocks::nearest_before(SizeKey key, Cursor in_bins) const {
  Cursor best = in_bins;
  SizeKey highest = in_bins ? comparable_key(in_bins) : 0;
  for (std::uint32_t slot = 0; slot < recent_keys_.size(); ++slot) {
    if (recent_keys_[slot] >= key || recent_keys_[slot] <= highest) continue;
    highest = recent_keys_[slot];
    best = {recent_bin, slot};
  }
  return best;
}

}  // namespace vramlab::allocator
