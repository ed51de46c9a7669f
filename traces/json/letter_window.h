// LetterWindow: the letters of an input that a reader looks at now; and the scans that a reader of
// JSON text makes of every letter, eight at a time: the place where a text stops being plain, and
// the number that a row of digits amounts to. The scans are arithmetic on 64-bit words, the same on
// every machine with little-endian numbers.
//
// The scans require that `scan_padding` bytes behind the text can be read, and that the first of
// them is no digit and no plain letter (a 0), so a scan ends there at the latest. The window
// promises it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "traces/io/byte_source.h"

namespace vramlab::traces {

static_assert(std::endian::native == std::endian::little);

inline constexpr std::size_t scan_padding = 32;
inline constexpr std::size_t letters_per_word = sizeof(std::uint64_t);

inline std::uint64_t load_word(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

constexpr std::uint64_t every_letter(unsigned char letter) { return 0x0101010101010101U * letter; }

// A borrow or carry can leave a mark too many, but only behind a right mark: the first is right.
constexpr std::uint64_t marks_below(std::uint64_t word, unsigned char bound) {
  return (word - every_letter(bound)) & ~word & every_letter(0x80);
}
constexpr std::uint64_t marks_of(std::uint64_t word, unsigned char letter) {
  return marks_below(word ^ every_letter(letter), 1);
}
constexpr std::size_t letters_before_mark(std::uint64_t marks) {
  return static_cast<std::size_t>(std::countr_zero(marks)) / 8;
}

/// The first letter that is not plain: a quote, a backslash, a control letter, or beyond ASCII.
inline const char* find_not_plain(const char* at) {
  while (true) {
    const std::uint64_t word = load_word(at);
    const std::uint64_t marks = marks_of(word, '"') | marks_of(word, '\\') |
                                marks_below(word, ' ') | (word & every_letter(0x80));
    if (marks != 0) return at + letters_before_mark(marks);
    at += letters_per_word;
  }
}

struct DigitRow {
  std::uint64_t number = 0;
  const char* end = nullptr;
  /// The number is above 2^64 - 1, and `number` has no meaning.
  bool is_too_large = false;
};

/// The number of up to eight digits, which stand in the highest bytes, above zeros.
constexpr std::uint64_t number_of_digits(std::uint64_t word) {
  word = (word * 10) + (word >> 8U);
  return (((word & 0x000000FF000000FFU) * 0x000F424000000064U) +
          (((word >> 16U) & 0x000000FF000000FFU) * 0x0000271000000001U)) >>
         32U;
}

inline constexpr std::uint64_t powers_of_ten[] = {1,      10,      100,      1000,     10000,
                                                  100000, 1000000, 10000000, 100000000};

/// The number of digits at the front of eight letters, each combined with `0` by exclusive or.
constexpr std::size_t count_digits(std::uint64_t word) {
  // Digits are 0 to 9 now: adding 0x76 reaches the highest bit from 10 on.
  const std::uint64_t marks =
      (((word & every_letter(0x7F)) + every_letter(0x76)) | word) & every_letter(0x80);
  return marks == 0 ? letters_per_word : letters_before_mark(marks);
}

/// All digits from `at` on; `end` is `at` where there are none.
inline DigitRow read_digits(const char* at) {
  std::uint64_t number = 0;
  bool is_too_large = false;
  while (true) {
    const std::uint64_t word = load_word(at) ^ every_letter('0');
    const std::size_t count = count_digits(word);
    if (count == 0) return {number, at, is_too_large};
    const std::uint64_t digits = number_of_digits(word << (8 * (letters_per_word - count)));
    std::uint64_t shifted = 0;
    is_too_large |= __builtin_mul_overflow(number, powers_of_ten[count], &shifted);
    is_too_large |= __builtin_add_overflow(shifted, digits, &number);
    at += count;
    if (count < letters_per_word) return {number, at, is_too_large};
  }
}

/// The part of an input's letters that is looked at now. A reader moves at() forward and asks for
/// more letters where they end; letters behind at() are dropped, but for the few that messages
/// quote. So memory is as much as the longest single text needs, not as much as the file needs.
class LetterWindow {
 public:
  static constexpr std::size_t default_bytes = std::size_t{1} << 18;
  /// The number of letters before at() that can be quoted.
  static constexpr std::size_t quoted_bytes = 20;

  /// The source must outlive it; its first byte has the position `begin`.
  explicit LetterWindow(ByteSource& source, std::size_t bytes = default_bytes,
                        std::uint64_t begin = 0)
      : source_(source),
        buffer_(bytes + scan_padding),
        buffer_position_(begin),
        at_(buffer_.data()),
        end_(buffer_.data()) {}
  LetterWindow(const LetterWindow&) = delete;
  LetterWindow& operator=(const LetterWindow&) = delete;

  const char* at() const { return at_; }
  const char* end() const { return end_; }
  /// Requires: the place is in the window, and not behind its end.
  void go_to(const char* place) { at_ = place; }

  /// Gets more letters, if there are any; the letters from at() on stay, at another place. False,
  /// with no letter moved, once the input is known to have ended.
  bool fill();
  /// True if `count` letters follow; they are in the window then.
  bool has(std::size_t count) {
    while (static_cast<std::size_t>(end_ - at_) < count)
      if (!fill()) return false;
    return true;
  }
  /// A place keeps its meaning as long as this number stays.
  std::uint64_t fill_count() const { return fill_count_; }

  std::uint64_t position_of(const char* place) const {
    return buffer_position_ + static_cast<std::uint64_t>(place - buffer_.data());
  }
  std::uint64_t bytes_taken() const { return position_of(at_); }
  /// The last of the letters from a position on up to `end`, at most `quoted_bytes`.
  std::string_view last_letters(std::uint64_t from, const char* end) const;

 private:
  ByteSource& source_;
  std::vector<char> buffer_;
  /// The position of the buffer's first letter in the input.
  std::uint64_t buffer_position_;
  const char* at_;
  const char* end_;
  std::uint64_t fill_count_ = 0;
  bool source_ended_ = false;
};

}  // namespace vramlab::traces
