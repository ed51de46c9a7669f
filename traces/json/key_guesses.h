// KeyGuesses: what stood before the next value of a dict last time, key and all, by the key before.
// Dicts of a kind have the same keys in the same order and are written in the same way, so that a
// guess is nearly always right, and comparing a few words tells.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "traces/json/letter_scan.h"
#include "traces/values/snapshot_values.h"

namespace vramlab::traces {

class KeyGuesses {
 public:
  /// Such as `, "size": `; more than that is not kept.
  static constexpr std::size_t longest_letters = 32;
  static_assert(longest_letters <= scan_padding);

  /// Where a dict is: behind which of its keys.
  struct Place {
    std::uint32_t number = known_key_count;
    static Place begin() { return {}; }
    static Place behind(KnownText key) { return {static_cast<std::uint32_t>(key)}; }
  };

  struct Guess {
    std::array<std::uint64_t, longest_letters / letters_per_word> words{};
    /// Which bits of the words count.
    std::array<std::uint64_t, longest_letters / letters_per_word> masks{};
    /// 0 where nothing is known.
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

}  // namespace vramlab::traces
