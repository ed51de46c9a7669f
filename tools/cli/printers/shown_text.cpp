#include "tools/cli/printers/shown_text.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "traces/io/letters.h"

namespace vramlab::tools {
namespace {

/// Letters without a picture of their own that act on a terminal or on the text around them:
/// controls, marks and changes of direction, breaks of lines and paragraphs. U+FFFE and U+FFFF are
/// no letters, and XML forbids them.
bool is_for_reading(std::uint32_t code) {
  const auto is_within = [code](std::uint32_t first, std::uint32_t last) {
    return code >= first && code <= last;
  };
  return !(code < 0x20 || is_within(0x7F, 0x9F) || code == 0x061C || is_within(0x200E, 0x200F) ||
           is_within(0x2028, 0x202E) || is_within(0x2066, 0x2069) || is_within(0xD800, 0xDFFF) ||
           is_within(0xFFFE, 0xFFFF));
}

enum class LetterKind : std::uint8_t { byte, unicode };

std::string escape_of(std::uint32_t code, LetterKind kind) {
  char text[16];
  std::snprintf(text, sizeof text, kind == LetterKind::byte ? "\\x%02x" : "\\u%04x",
                static_cast<unsigned>(code));
  return text;
}

std::string escape_for_people(std::uint32_t code, LetterKind kind) {
  if (code == '\n') return "\\n";
  if (code == '\r') return "\\r";
  return code == '\t' ? "\\t" : escape_of(code, kind);
}

bool is_plain(char letter) { return letter >= ' ' && letter <= '~'; }

/// `escape` replaces each letter that is not for reading, unless `stays` holds for it.
template <class Stays, class Escape>
std::string escaped(std::string_view text, const Stays& stays, const Escape& escape) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const auto* const plain_end = std::ranges::find_if_not(text, is_plain);
    shown.append(text.begin(), plain_end);
    text.remove_prefix(static_cast<std::size_t>(plain_end - text.begin()));
    if (text.empty()) break;
    const auto first = static_cast<unsigned char>(text.front());
    const traces::WideLetter wide = traces::wide_letter_at(text);
    const bool is_byte = wide.byte_count == 0;
    const std::uint32_t code = is_byte ? first : wide.code;
    const bool is_letter = !is_byte || first < 0x80;
    const std::size_t count = std::max<std::size_t>(1, wide.byte_count);
    if (is_letter && (is_for_reading(code) || stays(text.front())))
      shown += text.substr(0, count);
    else
      shown += escape(code, is_byte ? LetterKind::byte : LetterKind::unicode);
    text.remove_prefix(count);
  }
  return shown;
}

/// A byte inside a letter of UTF-8.
bool is_inside_letter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

/// `file.py:12` of the call site `folder/file.py:12 function`; empty for other names.
std::string_view line_of(std::string_view site) {
  const std::string_view place = site.substr(0, site.find(' '));
  const std::size_t digits = place.find_last_not_of("0123456789") + 1;
  if (digits < 2 || digits == place.size() || place[digits - 1] != ':') return {};
  return place.substr(place.rfind('/') + 1);
}

}  // namespace

std::string shown_name(std::string_view text) {
  return escaped(text, [](char) { return false; }, escape_for_people);
}

std::string shortened(std::string_view name, std::size_t width) {
  std::string text = shown_name(name);
  if (text.size() <= width) return text;
  // The end of a path tells more than its beginning.
  std::size_t begin = width / 4;
  std::size_t end = text.size() - (width - begin - 5);
  while (begin > 0 && is_inside_letter(text[begin])) --begin;
  while (end < text.size() && is_inside_letter(text[end])) ++end;
  return text.substr(0, begin) + " ... " + text.substr(end);
}

std::string shortened_call_site(std::string_view site, std::size_t width) {
  const std::string text = shown_name(site);
  const std::string_view line = line_of(text);
  if (text.size() <= width || line.empty() || line.size() > width) return shortened(site, width);
  const std::string without_folder =
      text.substr(static_cast<std::size_t>(line.data() - text.data()));
  return without_folder.size() <= width ? without_folder : std::string(line);
}

std::size_t least_width_of_call_site(std::string_view site) {
  return line_of(shown_name(site)).size();
}

std::string shown_lines(std::string_view text) {
  return escaped(
      text, [](char letter) { return letter == '\n' || letter == '\t'; }, escape_for_people);
}

std::string shown_markup(std::string_view text) {
  std::string safe;
  for (const char letter : shown_lines(text)) {
    switch (letter) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\n':
        safe += "&#10;";
        break;
      default:
        safe += letter;
    }
  }
  return safe;
}

std::string shown_json(std::string_view document) {
  return escaped(
      document, [](char letter) { return letter == '\n'; },
      [](std::uint32_t code, LetterKind) { return escape_of(code, LetterKind::unicode); });
}

}  // namespace vramlab::tools
