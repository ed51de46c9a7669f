// Letters of texts: UTF-8 as everybody reads it (no surrogates, no letter spelled longer than need
// be), and the letters between the quotes of a JSON string, written and read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace vramlab::traces {

/// A character of more than one byte, or a surrogate spelled like such a character. It has 0 bytes
/// if the text begins with neither.
struct WideLetter {
  std::uint32_t code = 0;
  std::size_t byte_count = 0;
  bool is_surrogate() const { return code >= 0xD800 && code <= 0xDFFF; }
};
/// Requires: the text is not empty.
WideLetter wide_letter_at(std::string_view text);

bool is_utf8(std::string_view text);

/// The text, with the replacement character for each byte that is no UTF-8.
std::string as_utf8(std::string_view text);

inline bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

/// Appends a text between quotes, as JSON spells it. Half a pair of surrogates, which Python allows
/// in its texts, becomes an escape; any other byte that is no UTF-8 becomes the replacement
/// character.
void add_json_text(std::string& line, std::string_view text);

/// Decodes a line of Python's raw-unicode-escape: bytes are characters up to U+00FF, and \u with
/// four or \U with eight hexadecimal digits is any other one. Another backslash is itself.
void decode_python_letters(std::string_view letters, std::string& text);

/// The answer to a byte of a JSON string that is no UTF-8.
enum class InvalidBytes : std::uint8_t { refused, replaced };

/// Decodes the letters of a JSON string into `text`; an escaped half of a pair of surrogates is
/// spelled like a character. Returns the offset of the first letter that JSON has no place for,
/// such as a control letter, an unknown escape or invalid UTF-8; null if there is none. Invalid
/// bytes may become the replacement character instead.
std::optional<std::size_t> decode_json_letters(std::string_view letters, std::string& text,
                                               InvalidBytes invalid = InvalidBytes::refused);

}  // namespace vramlab::traces
