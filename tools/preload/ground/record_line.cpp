#include "tools/preload/ground/record_line.h"

#include <array>
#include <charconv>

namespace vramlab::preload {

RecordLine& RecordLine::add(std::string_view name, std::uint64_t value) {
  key(name);
  std::array<char, 20> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  letters_.append(digits.data(), end);
  return *this;
}

/// Bytes beyond ASCII may be no UTF-8, which the format does not take, and become question marks.
RecordLine& RecordLine::add(std::string_view name, std::string_view text) {
  key(name);
  letters_ += '"';
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') letters_ += '\\';
    letters_ += byte < 0x20 || byte >= 0x7f ? '?' : letter;
  }
  letters_ += '"';
  return *this;
}

RecordLine& RecordLine::add_unless_0(std::string_view name, std::uint64_t value) {
  return value == 0 ? *this : add(name, value);
}

RecordLine& RecordLine::raw(std::string_view json) {
  letters_ += json;
  return *this;
}

void RecordLine::key(std::string_view name) {
  letters_ += letters_.back() == '{' ? "\"" : ",\"";
  letters_ += name;
  letters_ += "\":";
}

}  // namespace vramlab::preload
