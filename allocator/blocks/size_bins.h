// SizeBins: free blocks ordered by (size, address), for exact best fit among any number of them.
//
// Sizes fall into bins: one bin a size up to 128 KiB, above that 128 bins a power of two. A bitmap
// with a summary says which bins are filled, so that best fit is a few bit operations and one look
// into a bin. A bin keeps its blocks by descending (size, address): four in the bin itself, one
// cache line; more in an EntryRun.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "allocator/blocks/block.h"
#include "allocator/types/bytes_and_ids.h"

namespace vramlab::allocator {

/// How many of the first `count` keys, which descend, are above `key`.
inline std::uint32_t count_above(const std::uint64_t* keys, std::uint32_t count,
                                 std::uint64_t key) {
  const std::uint64_t* from = keys;
  while (count > 1) {
    const std::uint32_t half = count / 2;
    from += half & (0U - static_cast<std::uint32_t>(from[half - 1] > key));
    count -= half;
  }
  const bool last_is_above = count == 1 && *from > key;
  return static_cast<std::uint32_t>(from - keys) + (last_is_above ? 1 : 0);
}

/// Many free blocks in one bin, by descending key. Chunks of up to 16 keys with a directory of each
/// chunk's lowest key, so that an insertion moves few entries however many the run has. Searches
/// are written without branches: which way they go cannot be foreseen.
class EntryRun {
 public:
  /// A place in the run: chunk * chunk_size + position.
  using Slot = std::uint32_t;

  bool is_empty() const { return chunks_.empty(); }
  BlockIndex block_at(Slot slot) const {
    return chunks_[slot / chunk_size]->blocks[slot % chunk_size];
  }
  std::uint64_t key_at(Slot slot) const {
    return chunks_[slot / chunk_size]->keys[slot % chunk_size];
  }
  /// Requires, for both: the run is not empty.
  Slot lowest() const { return last_of(chunks_.size() - 1); }
  static Slot highest() { return 0; }

  /// The place of the lowest key that is not below `key`; end() where there is none.
  Slot at_or_above(std::uint64_t key) const;
  /// One step up; end() from the highest.
  Slot above(Slot slot) const;
  /// The place of the highest key that is below `key`, which is not 0; end() where there is none.
  Slot below(std::uint64_t key) const;
  static constexpr Slot end() { return 0xffffffff; }

  /// Requires: the key is not in the run.
  void insert(std::uint64_t key, BlockIndex block);
  /// Requires: the key is in the run.
  Slot place_of(std::uint64_t key) const {
    const std::size_t chunk = chunk_of(key);
    return slot_of(chunk, chunks_[chunk]->count_above(key));
  }
  void remove_at(Slot slot);

 private:
  static constexpr std::uint32_t chunk_size = 16;
  struct Chunk {
    /// Keys behind the last one are 0, so that a search always takes the same steps.
    std::array<std::uint64_t, chunk_size> keys{};
    std::array<BlockIndex, chunk_size> blocks{};
    std::uint32_t count = 0;

    std::uint32_t count_above(std::uint64_t key) const {
      std::uint32_t above = 0;
      for (const std::uint64_t each : keys) above += static_cast<std::uint32_t>(each > key);
      return above;
    }
  };

  static Slot slot_of(std::size_t chunk, std::uint32_t position) {
    return static_cast<Slot>(chunk) * chunk_size + position;
  }
  Slot last_of(std::size_t chunk) const { return slot_of(chunk, chunks_[chunk]->count - 1); }
  /// The chunk that a key belongs to.
  std::size_t chunk_of(std::uint64_t key) const {
    const auto last = static_cast<std::uint32_t>(lowest_keys_.size()) - 1;
    return count_above(lowest_keys_.data(), last, key);
  }
  void add_chunk(std::size_t at);
  void split(std::size_t at);
  void drop_chunk(std::size_t at);

  std::vector<std::uint64_t> lowest_keys_;
  std::vector<std::unique_ptr<Chunk>> chunks_;
  /// Emptied chunks wait here to be used again.
  std::vector<std::unique_ptr<Chunk>> spare_;
};

inline void EntryRun::insert(std::uint64_t key, BlockIndex block) {
  if (chunks_.empty()) [[unlikely]]
    add_chunk(0);
  std::size_t at = chunk_of(key);
  if (chunks_[at]->count == chunk_size) [[unlikely]] {
    split(at);
    at = chunk_of(key);
  }
  Chunk& chunk = *chunks_[at];
  const std::uint32_t position = chunk.count_above(key);
  for (std::uint32_t i = chunk.count; i > position; --i) {
    chunk.keys[i] = chunk.keys[i - 1];
    chunk.blocks[i] = chunk.blocks[i - 1];
  }
  chunk.keys[position] = key;
  chunk.blocks[position] = block;
  lowest_keys_[at] = chunk.keys[chunk.count++];
}

inline void EntryRun::remove_at(Slot slot) {
  Chunk& chunk = *chunks_[slot / chunk_size];
  --chunk.count;
  for (std::uint32_t i = slot % chunk_size; i < chunk.count; ++i) {
    chunk.keys[i] = chunk.keys[i + 1];
    chunk.blocks[i] = chunk.blocks[i + 1];
  }
  chunk.keys[chunk.count] = 0;
  if (chunk.count == 0) [[unlikely]]
    drop_chunk(slot / chunk_size);
  else
    lowest_keys_[slot / chunk_size] = chunk.keys[chunk.count - 1];
}

/// Orders the blocks of a bin by (size, address): the size in units of 512 bytes above 40 bits of
/// address in the same units. Keys of blocks below `size_beyond_keys` are in that order everywhere;
/// larger sizes lose their upper bits, which are the same in a whole bin.
using SizeKey = std::uint64_t;
inline constexpr Bytes size_beyond_keys{512ULL << 24};
constexpr SizeKey size_key(Bytes size, Address address) {
  return size.count >> 9 << 40 | address.value >> 9;
}
/// Requires: the key of a block below `size_beyond_keys`.
constexpr Bytes size_of_key(SizeKey key) { return {key >> 40 << 9}; }

class SizeBins {
 public:
  /// A place in the order; valid until the next change.
  struct Cursor {
    std::uint32_t bin = no_bin;
    std::uint32_t slot = 0;
    explicit operator bool() const { return bin != no_bin; }
  };

  std::size_t size() const { return size_; }

  /// Requires: a size and an address below the limits of block.h, in no block of the set.
  void insert(std::uint32_t bin, SizeKey key, BlockIndex block);
  /// Requires: a block with this key is in the bin.
  Cursor place_of(std::uint32_t bin, SizeKey key) const;
  void remove_at(Cursor at);

  /// The first block that does not come before a place.
  Cursor at_or_after(std::uint32_t bin, SizeKey key) const;
  /// The last block that comes before a place.
  Cursor before(std::uint32_t bin, SizeKey key) const;
  Cursor next(Cursor at) const;
  Cursor last() const { return top_of(previous_bin(bin_count - 1)); }

  BlockIndex block_at(Cursor at) const {
    const Bin& bin = bins_[at.bin];
    return bin.run == nullptr ? bin.blocks[at.slot] : bin.run->block_at(at.slot);
  }
  SizeKey key_at(Cursor at) const {
    const Bin& bin = bins_[at.bin];
    return bin.run == nullptr ? bin.keys[at.slot] : bin.run->key_at(at.slot);
  }

  /// The number's leading bit chooses the power of two, the 7 bits after it the step. Larger sizes
  /// than a block can have fall behind the last bin.
  static std::uint32_t bin_of(Bytes size) {
    const std::uint64_t units = size.count >> 9;
    const auto leading_zeros = static_cast<unsigned>(std::countl_zero(units));
    const auto step = static_cast<std::uint32_t>((units << leading_zeros) << 1 >> (64 - step_bits));
    return ((63 - leading_zeros) << step_bits) + step;
  }
  static constexpr std::uint32_t no_bin = 0xffffffff;
  static constexpr unsigned step_bits = 7;
  static constexpr std::uint32_t first_bin_beyond_keys = 24U << step_bits;

 private:
  /// Sizes in units of 512 bytes have at most this many bits.
  static constexpr unsigned unit_bits = 32;
  static constexpr std::uint32_t bin_count = unit_bits << step_bits;
  static constexpr std::uint32_t word_count = (bin_count + 63) / 64;
  static constexpr std::uint32_t summary_count = (word_count + 63) / 64;
  static constexpr std::uint32_t few = 4;

  struct alignas(64) Bin {
    std::array<std::uint64_t, few> keys;
    std::array<BlockIndex, few> blocks;
    /// Owned by runs_; null while the bin holds few.
    EntryRun* run;
    std::uint32_t count;
  };
  static_assert(sizeof(Bin) == 64);
  struct ReleaseMemory {
    void operator()(void* memory) const { std::free(memory); }
  };

  std::uint32_t next_bin(std::uint32_t from) const;
  std::uint32_t previous_bin(std::uint32_t from) const;
  Cursor bottom_of(std::uint32_t bin) const {
    if (bin == no_bin) return {};
    return {bin, bins_[bin].run == nullptr ? bins_[bin].count - 1 : bins_[bin].run->lowest()};
  }
  static Cursor top_of(std::uint32_t bin) { return bin == no_bin ? Cursor{} : Cursor{bin, 0}; }
  void mark_filled(std::uint32_t bin) {
    filled_[bin / 64] |= std::uint64_t{1} << (bin % 64);
    summary_[bin / 4096] |= std::uint64_t{1} << (bin / 64 % 64);
  }
  void mark_empty(std::uint32_t bin) {
    filled_[bin / 64] &= ~(std::uint64_t{1} << (bin % 64));
    const std::uint64_t is_empty = filled_[bin / 64] == 0 ? 1 : 0;
    summary_[bin / 4096] &= ~(is_empty << (bin / 64 % 64));
  }
  [[gnu::noinline]] Cursor at_or_after_in(std::uint32_t bin, SizeKey key) const;
  void count_one_less(std::uint32_t bin);
  void start_run(Bin& bin);
  void create_bins();

  /// Zeroed pages that the system hands out only where a bin is used; bins_ points into it.
  std::unique_ptr<void, ReleaseMemory> memory_;
  Bin* bins_ = nullptr;
  std::array<std::uint64_t, summary_count> summary_{};
  std::array<std::uint64_t, word_count> filled_{};
  std::size_t size_ = 0;
  std::vector<std::unique_ptr<EntryRun>> runs_;
};

inline std::uint32_t SizeBins::next_bin(std::uint32_t from) const {
  if (from >= bin_count) return no_bin;
  std::uint32_t word = from / 64;
  const std::uint64_t here = filled_[word] >> (from % 64);
  if (here != 0) return from + static_cast<std::uint32_t>(std::countr_zero(here));
  ++word;
  for (std::uint32_t group = word / 64; group < summary_count; ++group) {
    std::uint64_t groups = summary_[group];
    if (group == word / 64) groups &= ~std::uint64_t{0} << (word % 64);
    if (groups == 0) continue;
    const std::uint32_t found = group * 64 + static_cast<std::uint32_t>(std::countr_zero(groups));
    return found * 64 + static_cast<std::uint32_t>(std::countr_zero(filled_[found]));
  }
  return no_bin;
}

inline SizeBins::Cursor SizeBins::at_or_after(std::uint32_t bin, SizeKey key) const {
  const Cursor at = bottom_of(next_bin(bin));
  // Only in the place's own bin can the first block come before it.
  if (at.bin == bin && key_at(at) < key) [[unlikely]]
    return at_or_after_in(bin, key);
  return at;
}

inline void SizeBins::insert(std::uint32_t in, SizeKey key, BlockIndex block) {
  if (bins_ == nullptr) [[unlikely]]
    create_bins();
  Bin& bin = bins_[in];
  ++size_;
  const std::uint32_t before = bin.count++;
  mark_filled(in);
  if (bin.run == nullptr && before == few) [[unlikely]]
    start_run(bin);
  if (bin.run != nullptr) {
    bin.run->insert(key, block);
    return;
  }
  std::uint32_t i = before;
  for (; i > 0 && bin.keys[i - 1] < key; --i) {
    bin.keys[i] = bin.keys[i - 1];
    bin.blocks[i] = bin.blocks[i - 1];
  }
  bin.keys[i] = key;
  bin.blocks[i] = block;
}

inline void SizeBins::count_one_less(std::uint32_t bin) {
  --size_;
  if (--bins_[bin].count == 0) mark_empty(bin);
}

inline void SizeBins::remove_at(Cursor at) {
  Bin& bin = bins_[at.bin];
  if (bin.run != nullptr) {
    bin.run->remove_at(at.slot);
  } else {
    for (std::uint32_t i = at.slot; i + 1 < bin.count; ++i) {
      bin.keys[i] = bin.keys[i + 1];
      bin.blocks[i] = bin.blocks[i + 1];
    }
  }
  count_one_less(at.bin);
}

inline SizeBins::Cursor SizeBins::place_of(std::uint32_t in, SizeKey key) const {
  const Bin& bin = bins_[in];
  if (bin.run != nullptr) return {in, bin.run->place_of(key)};
  std::uint32_t slot = 0;
  while (bin.keys[slot] != key) ++slot;
  return {in, slot};
}

}  // namespace vramlab::allocator
