// ShortTexts: the ids of short texts that were met lately, so that the keys and words that a
// snapshot repeats are told by two comparisons of words and no search.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "traces/model/snapshot_tables.h"

namespace vramlab::traces {

class ShortTexts {
  static constexpr std::size_t word_bytes = sizeof(std::uint64_t);

 public:
  static constexpr std::size_t longest_short_text = 2 * word_bytes;

  /// The table must outlive it.
  explicit ShortTexts(TextTable& texts) : texts_(texts) {}

  /// The text's id in the table, whatever its length. Requires: `longest_short_text` bytes from its
  /// begin on can be read.
  TextId intern(std::string_view text) {
    if (text.size() > longest_short_text) return texts_.intern(text);
    const bool is_long = text.size() > word_bytes;
    const std::uint64_t low = first_letters(text.data(), is_long ? word_bytes : text.size());
    const std::uint64_t high =
        is_long ? first_letters(text.data() + word_bytes, text.size() - word_bytes) : 0;
    Slot& slot = slots_[slot_number(low, high)];
    if (slot.low != low || slot.high != high || slot.size != text.size())
      slot = {low, high, text.size(), texts_.intern(text)};
    return slot.id;
  }

 private:
  /// The letters themselves, filled up with zeros. An empty slot is the empty text's.
  struct Slot {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    std::size_t size = 0;
    TextId id;
  };
  static constexpr unsigned slot_bits = 8;

  static std::uint64_t first_letters(const char* letters, std::size_t count) {
    if (count == 0) return 0;
    std::uint64_t word = 0;
    std::memcpy(&word, letters, sizeof word);
    return word & (~std::uint64_t{0} >> (8 * (word_bytes - count)));
  }
  static std::size_t slot_number(std::uint64_t low, std::uint64_t high) {
    constexpr std::uint64_t odd_factor = 0x9E3779B97F4A7C15U;
    const std::uint64_t mixed = (low ^ (high * odd_factor)) * odd_factor;
    return static_cast<std::size_t>((mixed ^ (mixed << 21U)) >> (64U - slot_bits));
  }

  TextTable& texts_;
  std::array<Slot, std::size_t{1} << slot_bits> slots_{};
};

}  // namespace vramlab::traces
