// What a reader of JSON text does with every letter, eight at a time: where a text stops being
// plain, and what a row of digits amounts to. Plain arithmetic on 64-bit words, so it is the same
// on every machine with little-endian numbers.
//
// Requires of all callers: `scan_padding` bytes behind the text can be read, and the first of them
// is no digit and no plain letter (a 0), which is where a scan ends at the latest.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

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

// A borrow or carry can leave a mark too many, but only behind a right one: the first is right.
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
  /// Above 2^64 - 1; `number` means nothing then.
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

/// How many of eight letters, each by exclusive or with `0`, are digits, from the first one on.
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

}  // namespace vramlab::traces
