// FreeBlocks: the free blocks of one lane, ordered by (size, address), for exact best fit.
//
// Sizes fall into bins: one bin a size up to 2 MiB, above that 64 bins a power of two. A bitmap
// with a summary says which bins hold something, so that best fit is a few bit operations and one
// look into a bin. A bin keeps its blocks sorted, the smallest last, the first three in the bin
// itself: one cache line in nearly all cases.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "allocator/block.h"
#include "allocator/ids.h"

namespace vramlab::allocator {

class FreeBlocks {
 public:
  /// A place in the order; valid until the next change.
  struct Cursor {
    std::uint32_t bin = no_bin;
    std::uint32_t slot = 0;
    explicit operator bool() const { return bin != no_bin; }
  };

  bool is_empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  /// Requires: the size is a multiple of 512 below 2^48, and no block of this address is in the
  /// set.
  void insert(Bytes size, Address address, BlockIndex block);
  /// Requires: that block is in the set.
  void remove(Bytes size, Address address);
  void remove_at(Cursor at);

  /// The first block of at least this size.
  Cursor at_or_after(Bytes size) const;
  Cursor first() const { return bottom_of(next_bin(0)); }
  Cursor last() const { return top_of(previous_bin(bin_count - 1)); }
  Cursor next(Cursor at) const;
  Cursor previous(Cursor at) const;

  BlockIndex block_at(Cursor at) const { return entries_of(bins_[at.bin])[at.slot].block; }

 private:
  static constexpr std::uint32_t no_bin = 0xffffffff;
  /// Below this many 512-byte units every size has a bin of its own.
  static constexpr std::uint64_t exact_units = 4096;
  static constexpr unsigned exact_bits = 12;
  static constexpr unsigned steps_bits = 6;
  static constexpr unsigned largest_bits = 39;
  static constexpr std::uint32_t bin_count =
      exact_units + ((largest_bits - exact_bits) << steps_bits);
  static constexpr std::uint32_t word_count = (bin_count + 63) / 64;
  static constexpr std::uint32_t summary_count = (word_count + 63) / 64;
  static constexpr std::uint32_t inline_count = 3;

  struct Entry {
    Address address;
    BlockIndex block;
    /// Of sizes that share a bin: how many units above the bin's smallest.
    std::uint32_t size_rest;
  };
  struct alignas(64) Bin {
    std::array<Entry, inline_count> few;
    Entry* many;
    std::uint32_t count;
    std::uint32_t capacity;
  };
  struct Place {
    std::uint32_t bin;
    std::uint32_t size_rest;
  };
  struct ReleaseMemory {
    void operator()(void* memory) const { std::free(memory); }
  };

  static Place place_of(Bytes size) {
    const std::uint64_t units = size.count >> 9;
    if (units < exact_units) [[likely]]
      return {static_cast<std::uint32_t>(units), 0};
    const auto octave = static_cast<unsigned>(std::bit_width(units)) - 1;
    const unsigned shift = octave - steps_bits;
    const auto step = static_cast<std::uint32_t>(units >> shift) & ((1U << steps_bits) - 1);
    const auto rest = static_cast<std::uint32_t>(units & ((std::uint64_t{1} << shift) - 1));
    return {static_cast<std::uint32_t>(exact_units) + ((octave - exact_bits) << steps_bits) + step,
            rest};
  }

  static bool comes_after(const Entry& entry, std::uint32_t size_rest, Address address) {
    return entry.size_rest != size_rest ? entry.size_rest > size_rest : entry.address > address;
  }

  static Entry* entries_of(Bin& bin) { return bin.capacity == 0 ? bin.few.data() : bin.many; }
  static const Entry* entries_of(const Bin& bin) {
    return bin.capacity == 0 ? bin.few.data() : bin.many;
  }

  /// How many entries of the bin come after (size_rest, address): they stand in front.
  static std::uint32_t count_after(const Bin& bin, std::uint32_t size_rest, Address address) {
    const Entry* entries = entries_of(bin);
    if (bin.count <= 8) {
      std::uint32_t i = 0;
      while (i < bin.count && comes_after(entries[i], size_rest, address)) ++i;
      return i;
    }
    std::uint32_t low = 0;
    std::uint32_t high = bin.count;
    while (low < high) {
      const std::uint32_t middle = (low + high) / 2;
      if (comes_after(entries[middle], size_rest, address))
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  std::uint32_t next_bin(std::uint32_t from) const;
  std::uint32_t previous_bin(std::uint32_t from) const;
  Cursor bottom_of(std::uint32_t bin) const {
    return bin == no_bin ? Cursor{} : Cursor{bin, bins_[bin].count - 1};
  }
  static Cursor top_of(std::uint32_t bin) { return bin == no_bin ? Cursor{} : Cursor{bin, 0}; }
  void mark_filled(std::uint32_t bin) {
    filled_[bin / 64] |= std::uint64_t{1} << (bin % 64);
    summary_[bin / 4096] |= std::uint64_t{1} << (bin / 64 % 64);
  }
  void mark_empty(std::uint32_t bin) {
    filled_[bin / 64] &= ~(std::uint64_t{1} << (bin % 64));
    if (filled_[bin / 64] == 0) summary_[bin / 4096] &= ~(std::uint64_t{1} << (bin / 64 % 64));
  }
  void remove_slot(std::uint32_t bin, std::uint32_t slot);
  void make_room(Bin& bin);
  void create_bins();

  /// Zeroed pages that the system hands out only where a bin is used; bins_ points into it.
  std::unique_ptr<void, ReleaseMemory> memory_;
  Bin* bins_ = nullptr;
  std::array<std::uint64_t, summary_count> summary_{};
  std::array<std::uint64_t, word_count> filled_{};
  std::size_t size_ = 0;
  std::vector<std::unique_ptr<Entry[]>> overflow_;
};

inline std::uint32_t FreeBlocks::next_bin(std::uint32_t from) const {
  std::uint32_t word = from / 64;
  if (from >= bin_count) return no_bin;
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

inline FreeBlocks::Cursor FreeBlocks::at_or_after(Bytes size) const {
  const Place place = place_of(size);
  const std::uint32_t bin = next_bin(place.bin);
  if (bin != place.bin || place.size_rest == 0) [[likely]]
    return bottom_of(bin);
  const std::uint32_t larger = count_after(bins_[bin], place.size_rest - 1, Address{~0ULL});
  return larger > 0 ? Cursor{bin, larger - 1} : bottom_of(next_bin(bin + 1));
}

inline void FreeBlocks::insert(Bytes size, Address address, BlockIndex block) {
  if (bins_ == nullptr) [[unlikely]]
    create_bins();
  const Place place = place_of(size);
  Bin& bin = bins_[place.bin];
  if (bin.count == 0) mark_filled(place.bin);
  if (bin.count == (bin.capacity == 0 ? inline_count : bin.capacity)) [[unlikely]]
    make_room(bin);
  const std::uint32_t slot = count_after(bin, place.size_rest, address);
  Entry* entries = entries_of(bin);
  for (std::uint32_t i = bin.count; i > slot; --i) entries[i] = entries[i - 1];
  entries[slot] = {address, block, place.size_rest};
  ++bin.count;
  ++size_;
}

inline void FreeBlocks::remove_slot(std::uint32_t bin_index, std::uint32_t slot) {
  Bin& bin = bins_[bin_index];
  Entry* entries = entries_of(bin);
  --bin.count;
  for (std::uint32_t i = slot; i < bin.count; ++i) entries[i] = entries[i + 1];
  if (bin.count == 0) mark_empty(bin_index);
  --size_;
}

inline void FreeBlocks::remove_at(Cursor at) { remove_slot(at.bin, at.slot); }

inline void FreeBlocks::remove(Bytes size, Address address) {
  const Place place = place_of(size);
  remove_slot(place.bin, count_after(bins_[place.bin], place.size_rest, address));
}

inline FreeBlocks::Cursor FreeBlocks::next(Cursor at) const {
  return at.slot > 0 ? Cursor{at.bin, at.slot - 1} : bottom_of(next_bin(at.bin + 1));
}

}  // namespace vramlab::allocator
