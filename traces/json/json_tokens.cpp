#include "traces/json/json_tokens.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

#include "allocator/types/real_numbers.h"
#include "traces/io/input_error.h"
#include "traces/io/json_letters.h"
#include "traces/model/long_number.h"

namespace vramlab::traces {
namespace {

bool is_blank(char letter) {
  return letter == ' ' || letter == '\n' || letter == '\r' || letter == '\t';
}
/// The place behind a number with a fraction or an exponent, or of the letter that is wrong.
struct RealLetters {
  const char* end;
  bool is_valid;
};

RealLetters scan_digits(const char* at) {
  if (!is_digit(*at)) return {at, false};
  while (is_digit(*at)) ++at;
  return {at, true};
}

/// From behind the digits of the whole part on.
RealLetters scan_fraction_and_exponent(const char* at) {
  RealLetters scan{at, true};
  if (*at == '.') scan = scan_digits(at + 1);
  if (!scan.is_valid || (*scan.end != 'e' && *scan.end != 'E')) return scan;
  const char* const exponent = scan.end + 1;
  return scan_digits(exponent + (*exponent == '+' || *exponent == '-' ? 1 : 0));
}

/// Infinite where the number is too large; one that is too small becomes the nearest, which is 0.
double real_of(const char* begin, const char* end) {
  double number = 0;
  if (read_real(begin, end, number).ec == std::errc()) return number;
  // That call does not say on which side the number is out of range.
  return std::strtod(std::string(begin, end).c_str(), nullptr);
}

}  // namespace

void JsonTokens::fail_at(std::uint64_t byte, const std::string& expected,
                         const std::string& found) const {
  const std::string line =
      line_ends_ == LineEnds::count ? "line " + std::to_string(line_) + ", " : "";
  throw InputError({file_, line + "byte " + std::to_string(byte), expected, found});
}

void JsonTokens::fail(const std::string& expected, const std::string& found) const {
  fail_at(window_.bytes_taken(), expected, found);
}

/// Quotes what stands before the letter and the letter itself, which may be anything, also half a
/// character.
void JsonTokens::refuse(const char* place) const {
  std::string found = "the end of the text";
  if (place != window_.end()) {
    found = "'";
    for (const char letter : window_.last_letters(word_position_, place + 1))
      found += letter < ' ' || letter > '~' ? '?' : letter;
    found += "'";
  }
  fail_at(window_.position_of(place), "valid JSON", found);
}

char JsonTokens::peek_far() {
  while (true) {
    const char* at = window_.at();
    while (is_blank(*at) && (*at != '\n' || line_ends_ == LineEnds::blank)) ++at;
    window_.go_to(at);
    if (at != window_.end()) {
      // A 0 in the text must not pass for its end.
      if (*at == '\0') refuse(at);
      return *at;
    }
    if (!window_.fill()) return '\0';
  }
}

void JsonTokens::pass_byte_order_mark() {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  if (window_.has(mark.size()) && std::string_view(window_.at(), mark.size()) == mark)
    window_.go_to(window_.at() + mark.size());
}

bool JsonTokens::lengthen_word() {
  const auto length = static_cast<std::uint64_t>(window_.end() - window_.at());
  // A native trace may spell a text with two letters a byte.
  const std::uint64_t longest = line_ends_ == LineEnds::blank ? longest_word : 2 * longest_word;
  if (length > longest)
    fail("a word of at most " + std::to_string(longest) + " bytes", "a longer one");
  return window_.fill();
}

/// The offset, from the opening quote on, of the quote that ends the text. Its letters are looked
/// at from offset `from` on.
std::size_t JsonTokens::find_closing_quote(std::size_t from) {
  while (true) {
    const char* const stop = find_not_plain(window_.at() + from);
    from = static_cast<std::size_t>(stop - window_.at());
    if (stop == window_.end()) {
      if (!lengthen_word()) refuse(window_.end());
    } else if (*stop == '"') {
      return from;
    } else if (*stop == '\\') {
      // The letter behind it is not looked at here, so it must be there.
      if (stop + 1 != window_.end())
        from += 2;
      else if (!lengthen_word())
        refuse(window_.end());
    } else if (static_cast<unsigned char>(*stop) >= 0x80) {
      ++from;
    } else {
      refuse(stop);
    }
  }
}

std::string_view JsonTokens::take_marked_text(std::size_t plain_count) {
  const std::size_t quote = find_closing_quote(plain_count + 1);
  const std::string_view letters(window_.at() + 1, quote - 1);
  if (const auto wrong = decode_json_letters(letters, decoded_)) refuse(letters.data() + *wrong);
  window_.go_to(window_.at() + quote + 1);
  return decoded_;
}

const std::string& JsonTokens::take_passing_key() {
  if (peek() != '"') refuse(window_.at());
  passing_key_ = take_passing_text();
  expect(':');
  return passing_key_;
}

void JsonTokens::fail_at_value(const std::string& expected) {
  const char letter = peek_value();
  if (letter == '{') fail(expected, "a dict");
  if (letter == '[') fail(expected, "a list");
  FieldValue value;
  take_scalar(value);
  fail(expected, found_text(value, texts_));
}

void JsonTokens::take_scalar(FieldValue& value) {
  switch (peek()) {
    case '"':
      value = take_text();
      return;
    case 't':
      value = true;
      return take_literal("true");
    case 'f':
      value = false;
      return take_literal("false");
    case 'n':
      return take_literal("null");
    default:
      return take_number(value);
  }
}

void JsonTokens::take_literal(std::string_view literal) {
  for (const char letter : literal) {
    if (!window_.has(1) || *window_.at() != letter) refuse(window_.at());
    take();
  }
}

void JsonTokens::take_number(FieldValue& value) {
  begin_quotes_here();
  while (true) {
    const bool has_minus = *window_.at() == '-';
    const char* const begin = window_.at() + (has_minus ? 1 : 0);
    const DigitRow digits = read_digits(begin);
    if (digits.end == window_.end() && lengthen_word()) continue;
    if (digits.end == begin) refuse(begin);
    if (*begin == '0' && digits.end - begin > 1) refuse(begin + 1);
    if (*digits.end == '.' || *digits.end == 'e' || *digits.end == 'E') return take_real(value);
    window_.go_to(digits.end);
    constexpr std::uint64_t most_below_zero = std::uint64_t{1} << 63;
    if (digits.is_too_large || (has_minus && digits.number > most_below_zero))
      return take_long_number(value);
    const bool is_negative = has_minus && digits.number != 0;
    value = WholeNumber{has_minus ? ~digits.number + 1 : digits.number, is_negative};
    return;
  }
}

void JsonTokens::take_long_number(FieldValue& value) {
  const std::string_view letters = number_letters();
  if (letters.size() > most_number_digits)
    fail("a whole number of at most " + std::to_string(most_number_digits) + " digits",
         "one of " + std::to_string(letters.size()));
  value = LongNumber{texts_.intern(letters)};
}

void JsonTokens::take_real(FieldValue& value) {
  while (true) {
    const char* at = window_.at() + (*window_.at() == '-' ? 1 : 0);
    const RealLetters scan = scan_fraction_and_exponent(read_digits(at).end);
    if (scan.end == window_.end() && lengthen_word()) continue;
    if (!scan.is_valid) refuse(scan.end);
    const double number = real_of(window_.at(), scan.end);
    if (!std::isfinite(number)) refuse(scan.end - 1);
    window_.go_to(scan.end);
    value = number;
    return;
  }
}

}  // namespace vramlab::traces
