#include "traces/io/utf8.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace vramlab::traces {
namespace {

/// How many bytes the letter at the front has; 0 if it is none.
std::size_t letter_bytes(std::string_view text) {
  if (static_cast<unsigned char>(text.front()) < 0x80) return 1;
  const WideLetter letter = wide_letter_at(text);
  return letter.is_surrogate() ? 0 : letter.byte_count;
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
