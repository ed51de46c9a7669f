// A text between the quotes of a JSON string, written and read.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace vramlab::traces {

inline bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

/// Appends a text between quotes. Half a pair of surrogates, which Python allows in its texts,
/// becomes an escape; any other byte that is no UTF-8 becomes the replacement character.
void add_json_text(std::string& line, std::string_view text);

/// What the letters mean, with an escaped half of a pair of surrogates spelled like a character.
/// Otherwise the offset of the first letter that JSON has no place for: control letters, unknown
/// escapes, what is no UTF-8.
std::optional<std::size_t> decode_json_letters(std::string_view letters, std::string& text);

}  // namespace vramlab::traces
