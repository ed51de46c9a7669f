// SnapshotJsonWalker: the pieces of a snapshot in JSON: dicts with known keys, and lists of such
// dicts. Inside of read_snapshot_json only. The known structure is read straight into the values;
// what has no field becomes a value of any shape.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "traces/json/json_generic.h"
#include "traces/json/json_stacks.h"
#include "traces/json/json_tokens.h"
#include "traces/json/letter_scan.h"

namespace vramlab::traces {

/// What stood before the next value of a dict last time, key and all, by the key before. Dicts of a
/// kind have the same keys in the same order and are written in the same way, so that a guess is
/// nearly always right, and comparing a few words tells.
class KeyGuesses {
 public:
  /// Such as `, "size": `; more than that is not kept.
  static constexpr std::size_t longest_letters = 32;
  static_assert(longest_letters <= scan_padding);

  /// How far a dict is: behind which of its keys.
  struct Place {
    std::uint32_t number = known_key_count;
    static Place begin() { return {}; }
    static Place behind(KnownText key) { return {static_cast<std::uint32_t>(key)}; }
  };

  struct Guess {
    std::array<std::uint64_t, longest_letters / letters_per_word> words{};
    /// Which bits of the words count.
    std::array<std::uint64_t, longest_letters / letters_per_word> masks{};
    /// 0 if nothing is known.
    std::size_t size = 0;
    KnownText key{};

    /// Whether these letters are there. Requires: `scan_padding`, as everything here.
    bool is_at(const char* at) const {
      std::uint64_t difference = size == 0 ? 1 : 0;
      for (std::size_t i = 0; i < words.size(); ++i)
        difference |= (load_word(at + i * letters_per_word) ^ words[i]) & masks[i];
      return difference == 0;
    }
  };

  const Guess& after(Place place) const { return guesses_[place.number]; }

  void remember(Place place, std::string_view letters, KnownText key) {
    if (letters.size() > longest_letters) return;
    Guess guess;
    guess.size = letters.size();
    guess.key = key;
    std::array<char, longest_letters> bytes{};
    std::array<char, longest_letters> mask{};
    std::ranges::copy(letters, bytes.begin());
    std::fill_n(mask.begin(), letters.size(), '\xFF');
    std::memcpy(guess.words.data(), bytes.data(), bytes.size());
    std::memcpy(guess.masks.data(), mask.data(), mask.size());
    guesses_[place.number] = guess;
  }

 private:
  std::array<Guess, std::size_t{known_key_count} + 1> guesses_{};
};

class SnapshotJsonWalker {
 public:
  SnapshotJsonWalker(JsonInput input, SnapshotTables& tables)
      : tokens(input, tables.texts),
        generic(tokens),
        stacks_(tokens, generic, tables),
        tables_(tables) {}

  JsonTokens tokens;
  JsonGeneric generic;

  // Each from a dict into a value that is as after its construction. Blocks without an address get
  // theirs by counting up.
  void read(SegmentValue& segment);
  void read(TraceEntry& entry);
  void read(AnnotationValue& annotation);

  /// The items of a list, whose opening bracket is taken; `on_item` reads one.
  template <typename OnItem>
  void read_items(const OnItem& on_item) {
    if (tokens.take_if(']')) return;
    do on_item();
    while (tokens.take_separator(']'));
  }

 private:
  template <typename Value>
  void read_dict(Value& value);
  template <typename Value>
  std::optional<KnownText> take_next_key(Value& value, KeyGuesses::Place place);
  template <typename Value>
  void read_field(Value& value, KnownText key);
  template <typename Value>
  KeyGuesses& guesses_of() {
    return std::get<Guesses<Value>>(guesses_).keys;
  }
  template <typename Value>
  void read_dicts(Value& value, KnownText key);
  // Each into a value that is as after its construction.
  void read_value(KnownText key, FieldValue& value);
  std::optional<allocator::PoolId> take_plain_pool();
  void read_generic(KnownText key, FieldValue& value);
  void count_part();

  /// Each kind of dict has its own.
  template <typename Value>
  struct Guesses {
    KeyGuesses keys;
  };

  JsonStacks stacks_;
  std::tuple<Guesses<SegmentValue>, Guesses<BlockValue>, Guesses<HistoryEntry>, Guesses<TraceEntry>,
             Guesses<AnnotationValue>>
      guesses_;
  SnapshotTables& tables_;
  /// What a field looks at until the next one is read.
  GenericPointer generic_value_;
  /// The parts of the segment, in all its lists.
  std::size_t part_count_ = 0;
};

}  // namespace vramlab::traces
