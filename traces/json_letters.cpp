#include "traces/json_letters.h"

#include <cstdint>

namespace vramlab::traces {
namespace {

constexpr std::string_view digits = "0123456789abcdef";

void add_escape(std::uint32_t unit, ByteCollector& bytes) {
  bytes.add("\\u");
  for (int shift = 12; shift >= 0; shift -= 4) bytes.add(digits[(unit >> shift) & 15U]);
}

void add_control(char letter, ByteCollector& bytes) {
  switch (letter) {
    case '"':
      return bytes.add("\\\"");
    case '\\':
      return bytes.add("\\\\");
    case '\n':
      return bytes.add("\\n");
    case '\t':
      return bytes.add("\\t");
    default:
      return add_escape(static_cast<unsigned char>(letter), bytes);
  }
}

bool is_plain(char letter) {
  return static_cast<unsigned char>(letter) >= ' ' && static_cast<unsigned char>(letter) < 0x80 &&
         letter != '"' && letter != '\\';
}

/// One character of more than one byte, or a surrogate spelled like one. 0 bytes long where it is
/// neither.
struct WideLetter {
  std::uint32_t code = 0;
  std::size_t byte_count = 0;
};

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

}  // namespace

void add_json_letters(std::string_view text, ByteCollector& bytes) {
  while (!text.empty()) {
    std::size_t plain = 0;
    while (plain < text.size() && is_plain(text[plain])) ++plain;
    bytes.add(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) return;
    if (static_cast<unsigned char>(text.front()) < 0x80) {
      add_control(text.front(), bytes);
      text.remove_prefix(1);
      continue;
    }
    const WideLetter letter = wide_letter_at(text);
    const bool is_surrogate = letter.code >= 0xD800 && letter.code <= 0xDFFF;
    if (letter.byte_count == 0)
      bytes.add("\xEF\xBF\xBD");
    else if (is_surrogate)
      add_escape(letter.code, bytes);
    else
      bytes.add(text.substr(0, letter.byte_count));
    text.remove_prefix(letter.byte_count == 0 ? 1 : letter.byte_count);
  }
}

}  // namespace vramlab::traces
