#include "traces/io/letters.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace vramlab::traces {
namespace {

/// The number of bytes of the letter at the front; 0 if it is invalid.
std::size_t letter_bytes(std::string_view text) {
  if (static_cast<unsigned char>(text.front()) < 0x80) return 1;
  const WideLetter letter = wide_letter_at(text);
  return letter.is_surrogate() ? 0 : letter.byte_count;
}

constexpr std::string_view digits = "0123456789abcdef";
constexpr std::string_view replacement = "\xEF\xBF\xBD";

void add_escape(std::uint32_t unit, std::string& line) {
  line += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) line += digits[(unit >> shift) & 15U];
}

void add_control(char letter, std::string& line) {
  constexpr std::string_view meant = "\"\\\n\t";
  constexpr std::string_view spelled = "\"\\nt";
  const std::size_t which = meant.find(letter);
  if (which == std::string_view::npos) return add_escape(static_cast<unsigned char>(letter), line);
  (line += '\\') += spelled[which];
}

bool is_plain(char letter) {
  return static_cast<unsigned char>(letter) >= ' ' && static_cast<unsigned char>(letter) < 0x80 &&
         letter != '"' && letter != '\\';
}

void add_code(std::uint32_t code, std::string& text) {
  const auto add_byte = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) return add_byte(code);
  const unsigned byte_count = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  // As many ones as there are bytes, then a zero.
  add_byte((0xF00U >> byte_count & 0xFFU) | code >> (6 * (byte_count - 1)));
  for (unsigned left = byte_count - 1; left > 0; --left)
    add_byte(0x80U | (code >> (6 * (left - 1)) & 0x3FU));
}

/// The digits behind `\u`: fewer than four where another letter follows them.
struct HexDigits {
  std::uint32_t unit = 0;
  std::size_t count = 0;
};
constexpr std::size_t digits_of_unit = 4;

HexDigits hex_digits_at(std::string_view letters, std::size_t most_digits = digits_of_unit) {
  HexDigits read;
  for (const char letter : letters.substr(0, most_digits)) {
    const char small = letter >= 'A' && letter <= 'F' ? static_cast<char>(letter + 0x20) : letter;
    const std::size_t digit = digits.find(small);
    if (digit == std::string_view::npos) break;
    read.unit = read.unit << 4U | static_cast<std::uint32_t>(digit);
    ++read.count;
  }
  return read;
}

/// The length of an escape or a character at the front, and whether it is valid.
struct Step {
  std::size_t letter_count = 0;
  bool is_valid = true;
};

/// After `\u`. Two halves of a pair become the one character that they mean.
Step decode_unit(std::string_view letters, std::string& text) {
  const HexDigits first = hex_digits_at(letters);
  if (first.count < digits_of_unit) return {first.count, false};
  const bool may_be_pair = first.unit >= 0xD800 && first.unit <= 0xDBFF &&
                           letters.substr(digits_of_unit).starts_with("\\u");
  const HexDigits second =
      may_be_pair ? hex_digits_at(letters.substr(digits_of_unit + 2)) : HexDigits{};
  const bool is_pair =
      second.count == digits_of_unit && second.unit >= 0xDC00 && second.unit <= 0xDFFF;
  if (!is_pair) {
    add_code(first.unit, text);
    return {digits_of_unit};
  }
  add_code(0x10000U + ((first.unit - 0xD800U) << 10U) + (second.unit - 0xDC00U), text);
  return {2 * digits_of_unit + 2};
}

/// From a backslash on.
Step decode_escape(std::string_view letters, std::string& text) {
  if (letters.size() < 2) return {letters.size(), false};
  if (letters[1] == 'u') {
    const Step unit = decode_unit(letters.substr(2), text);
    return {2 + unit.letter_count, unit.is_valid};
  }
  constexpr std::string_view spelled = "\"\\/bfnrt";
  constexpr std::string_view meant = "\"\\/\b\f\n\r\t";
  const std::size_t which = spelled.find(letters[1]);
  if (which == std::string_view::npos) return {1, false};
  text += meant[which];
  return {2};
}

/// The characters of a \u or \U at the front; 0 letters if there is none that is a character.
Step decode_python_escape(std::string_view letters, std::string& text) {
  if (letters.size() < 2 || (letters[1] != 'u' && letters[1] != 'U')) return {0};
  const std::size_t most_digits = letters[1] == 'u' ? digits_of_unit : 2 * digits_of_unit;
  const HexDigits code = hex_digits_at(letters.substr(2), most_digits);
  constexpr std::uint32_t largest = 0x10FFFF;
  if (code.count < most_digits || code.unit > largest) return {0};
  add_code(code.unit, text);
  return {2 + most_digits};
}

}  // namespace

WideLetter wide_letter_at(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t byte_count = first < 0xC2   ? 0
                                 : first < 0xE0 ? 2
                                 : first < 0xF0 ? 3
                                 : first < 0xF5 ? 4
                                                : 0;
  if (byte_count == 0 || text.size() < byte_count) return {};
  std::uint32_t code = first & (0x7FU >> byte_count);
  for (std::size_t i = 1; i < byte_count; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0U) != 0x80U) return {};
    code = code << 6U | (byte & 0x3FU);
  }
  const std::uint32_t smallest = byte_count == 2 ? 0x80 : byte_count == 3 ? 0x800 : 0x10000;
  constexpr std::uint32_t largest = 0x10FFFF;
  if (code < smallest || code > largest) return {};
  return {code, byte_count};
}

bool is_utf8(std::string_view text) {
  const auto is_ascii = [](char letter) { return static_cast<unsigned char>(letter) < 0x80; };
  text.remove_prefix(static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_ascii) -
                                              text.begin()));
  while (!text.empty()) {
    const std::size_t count = letter_bytes(text);
    if (count == 0) return false;
    text.remove_prefix(count);
  }
  return true;
}

std::string as_utf8(std::string_view text) {
  std::string valid;
  while (!text.empty()) {
    const std::size_t count = letter_bytes(text);
    valid += count == 0 ? replacement : text.substr(0, count);
    text.remove_prefix(std::max<std::size_t>(1, count));
  }
  return valid;
}

void add_json_text(std::string& line, std::string_view text) {
  line += '"';
  while (!text.empty()) {
    const auto* const plain_end = std::find_if_not(text.begin(), text.end(), is_plain);
    line.append(text.begin(), plain_end);
    text.remove_prefix(static_cast<std::size_t>(plain_end - text.begin()));
    if (text.empty()) break;
    std::size_t count = 1;
    if (static_cast<unsigned char>(text.front()) < 0x80) {
      add_control(text.front(), line);
    } else if (const WideLetter letter = wide_letter_at(text); letter.byte_count == 0) {
      line += replacement;
    } else {
      count = letter.byte_count;
      if (letter.is_surrogate())
        add_escape(letter.code, line);
      else
        line += text.substr(0, count);
    }
    text.remove_prefix(count);
  }
  line += '"';
}

void decode_python_letters(std::string_view letters, std::string& text) {
  text.clear();
  while (!letters.empty()) {
    std::size_t count = 0;
    if (letters.front() == '\\') count = decode_python_escape(letters, text).letter_count;
    if (count == 0) add_code(static_cast<unsigned char>(letters.front()), text);
    letters.remove_prefix(std::max<std::size_t>(1, count));
  }
}

std::optional<std::size_t> decode_json_letters(std::string_view letters, std::string& text,
                                               InvalidBytes invalid) {
  text.clear();
  std::size_t at = 0;
  while (at < letters.size()) {
    const auto* const plain_end = std::find_if_not(letters.begin() + at, letters.end(), is_plain);
    const auto plain_count = static_cast<std::size_t>(plain_end - letters.begin()) - at;
    text += letters.substr(at, plain_count);
    at += plain_count;
    if (at == letters.size()) break;
    const std::string_view rest = letters.substr(at);
    if (rest.front() == '\\') {
      const Step escape = decode_escape(rest, text);
      at += escape.letter_count;
      if (!escape.is_valid) return at;
    } else {
      const WideLetter letter = wide_letter_at(rest);
      const bool is_invalid = letter.byte_count == 0 || letter.is_surrogate();
      if (is_invalid && invalid == InvalidBytes::refused) return at;
      text += is_invalid ? replacement : rest.substr(0, letter.byte_count);
      at += is_invalid ? 1 : letter.byte_count;
    }
  }
  return std::nullopt;
}

}  // namespace vramlab::traces
