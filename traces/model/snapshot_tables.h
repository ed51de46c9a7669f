// SnapshotTables: every text, frame and stack of a snapshot once, by id. The same content always
// gets the same id, so memory grows with what is different in a file and not with its length.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "traces/model/snapshot_values.h"

namespace vramlab::traces {

/// Finds the item with a given content among many: open addressing over their numbers. It knows
/// neither the items nor how to compare them.
class IdIndex {
 public:
  /// The item with this hash for which `is_same(id)` holds; if there is none, `make()` returns the
  /// id of a new item.
  template <typename IsSame, typename Make>
  std::uint32_t find_or_add(std::uint32_t hash, const IsSame& is_same, const Make& make) {
    if ((count_ + 1) * 4 > slots_.size() * 3) grow();
    for (std::size_t at = hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
      Slot& slot = slots_[at];
      if (slot.id_plus_1 == 0) {
        const std::uint32_t id = make();
        slot = {hash, id + 1};
        ++count_;
        return id;
      }
      if (slot.hash == hash && is_same(slot.id_plus_1 - 1)) return slot.id_plus_1 - 1;
    }
  }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t id_plus_1 = 0;
  };
  void grow();

  std::vector<Slot> slots_ = std::vector<Slot>(64);
  std::size_t count_ = 0;
};

class TextTable {
 public:
  /// Holds the known texts, under their numbers.
  TextTable();
  TextId intern(std::string_view text);
  /// Lives as long as the table. Requires: the id is of this table.
  std::string_view text(TextId id) const { return texts_[id.value]; }
  std::size_t count() const { return texts_.size(); }
  /// Letters of all texts.
  std::size_t held_bytes() const { return held_bytes_; }

 private:
  std::string_view keep(std::string_view text);

  std::vector<std::string_view> texts_;
  IdIndex index_;
  std::vector<std::unique_ptr<char[]>> pieces_;
  char* room_ = nullptr;
  std::size_t room_bytes_ = 0;
  std::size_t held_bytes_ = 0;
};

/// Frames with lists or dicts in unknown fields are not compared.
bool can_be_compared(const FrameValue& frame);

class FrameTable {
 public:
  /// A frame that can't be compared gets a new id each time.
  FrameId intern(const FrameValue& frame);
  const FrameValue& frame(FrameId id) const { return frames_[id.value]; }
  std::size_t count() const { return frames_.size(); }

 private:
  std::vector<FrameValue> frames_;
  IdIndex index_;
};

class StackTable {
 public:
  StackTable() { intern({}); }
  StackId intern(std::span<const FrameId> frames);
  /// Innermost frame first. Valid until the next intern().
  std::span<const FrameId> frames(StackId id) const;
  std::size_t count() const { return ends_.size(); }
  /// Frames of all stacks together.
  std::size_t frame_count() const { return frames_.size(); }

 private:
  std::vector<FrameId> frames_;
  /// The end of each stack's frames; they begin where the frames of the stack before end.
  std::vector<std::size_t> ends_;
  IdIndex index_;
};

struct SnapshotTables {
  TextTable texts;
  FrameTable frames;
  StackTable stacks;
};

/// The ids of short texts that were met lately, so that the keys and words that a snapshot repeats
/// are told by two comparisons of words and no search.
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
