#include "tools/preload/ground/record_line.h"

#include <array>
#include <charconv>

namespace vramlab::preload {

RecordLine& RecordLine::begin(std::string_view name, std::uint64_t value) {
  letters_ += '{';
  key(name);
  number(value);
  return *this;
}

RecordLine& RecordLine::begin(std::string_view name, std::string_view letters) {
  letters_ += '{';
  key(name);
  text(letters);
  return *this;
}

RecordLine& RecordLine::add(std::string_view name, std::uint64_t value) {
  letters_ += ',';
  key(name);
  number(value);
  return *this;
}

RecordLine& RecordLine::add(std::string_view name, std::string_view letters) {
  letters_ += ',';
  key(name);
  text(letters);
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
  letters_ += '"';
  letters_ += name;
  letters_ += "\":";
}

void RecordLine::number(std::uint64_t value) {
  std::array<char, 20> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  letters_.append(digits.data(), end);
}

/// Bytes beyond ASCII may be no UTF-8, which the format does not take, and become question marks.
void RecordLine::text(std::string_view letters) {
  letters_ += '"';
  for (const char letter : letters) {
    const auto byte = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') letters_ += '\\';
    letters_ += byte < 0x20 || byte >= 0x7f ? '?' : letter;
  }
  letters_ += '"';
}

}  // namespace vramlab::preload
