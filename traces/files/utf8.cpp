#include "traces/files/utf8.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace vramlab::traces {
namespace {

/// How many bytes the letter at the front has; 0 where it is none.
std::size_t letter_bytes(std::string_view text) {
  const auto byte = [text](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t count = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (count == 0 || first > 0xF4 || text.size() < count) return 0;
  for (std::size_t i = 1; i < count; ++i)
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  const bool is_too_long = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool is_surrogate = first == 0xED && byte(1) >= 0xA0;
  const bool is_too_large = first == 0xF4 && byte(1) >= 0x90;
  return is_too_long || is_surrogate || is_too_large ? 0 : count;
}

}  // namespace

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
  constexpr std::string_view replacement = "\xEF\xBF\xBD";
  std::string valid;
  while (!text.empty()) {
    const std::size_t count = letter_bytes(text);
    valid += count == 0 ? replacement : text.substr(0, count);
    text.remove_prefix(std::max<std::size_t>(1, count));
  }
  return valid;
}

}  // namespace vramlab::traces
