#include "traces/model/generic_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

namespace vramlab::traces {
namespace {

/// Shared parts can make a small file a huge tree, so writing stops at this length.
constexpr std::size_t longest_text = 2000;

class GenericWriter {
 public:
  explicit GenericWriter(const TextTable& texts) : texts_(texts) {}

  // The maker of the value limited its depth (deepest_generic_value).
  void write(const GenericValue& value) {
    if (text.size() > longest_text) return;
    std::visit([this](const auto& content) { write_content(content); }, value.content);
  }
  std::string text;

 private:
  void write_content(NoneValue) { text += "None"; }
  void write_content(bool flag) { text += flag ? "True" : "False"; }
  void write_content(WholeNumber number) { text += whole_text(number); }
  void write_content(LongNumber number) { text += texts_.text(number.digits); }
  void write_content(double real) { text += real_text(real); }
  void write_content(TextId id) { (text += '\'').append(texts_.text(id)) += '\''; }
  void write_content(const GenericList& list) { write_items(list.items, "[", "]"); }
  void write_content(const GenericTuple& tuple) {
    write_items(tuple.items, "(", tuple.items.size() == 1 ? ",)" : ")");
  }
  void write_content(const GenericDict& dict) {
    text += '{';
    for (const auto& [key, value] : dict.items) {
      if (text.back() != '{') text += ", ";
      write(*key);
      text += ": ";
      write(*value);
      if (text.size() > longest_text) break;
    }
    text += '}';
  }
  void write_items(const std::vector<GenericPointer>& items, const char* begin, const char* end) {
    text += begin;
    const std::size_t start = text.size();
    for (const GenericPointer& item : items) {
      if (text.size() > start) text += ", ";
      write(*item);
      if (text.size() > longest_text) break;
    }
    text += end;
  }

  const TextTable& texts_;
};

constexpr unsigned sign_bit = 0x80;

bool has_sign(std::string_view bytes) {
  return (static_cast<unsigned char>(bytes.back()) & sign_bit) != 0;
}
char sign_byte(std::string_view bytes) { return has_sign(bytes) ? '\xFF' : '\0'; }

/// The number with the other sign.
void negate(std::string& bytes) {
  unsigned carry = 1;
  for (char& byte : bytes) {
    const unsigned sum = (~static_cast<unsigned>(byte) & 0xFFU) + carry;
    byte = static_cast<char>(sum);
    carry = sum >> 8U;
  }
}

/// Multiplies a row of digits of a base, lowest first, and adds to it.
void shift_in(std::string& digits, unsigned base, unsigned factor, unsigned added) {
  unsigned carry = added;
  for (char& digit : digits) {
    carry += static_cast<unsigned char>(digit) * factor;
    digit = static_cast<char>(carry % base);
    carry /= base;
  }
  for (; carry != 0; carry /= base) digits += static_cast<char>(carry % base);
}

}  // namespace

GenericValue generic_value(decltype(GenericValue::content) content) {
  GenericValue value{std::move(content), 0};
  each_part(value,
            [&](const GenericValue& part) { value.depth = std::max(value.depth, part.depth); });
  const bool has_parts =
      items_of(value) != nullptr || std::holds_alternative<GenericDict>(value.content);
  if (has_parts) ++value.depth;
  return value;
}

GenericPointer make_generic(decltype(GenericValue::content) content) {
  return std::make_shared<const GenericValue>(generic_value(std::move(content)));
}

std::string whole_text(WholeNumber number) {
  return number.is_negative ? std::to_string(static_cast<std::int64_t>(number.bits))
                            : std::to_string(number.bits);
}

std::string real_text(double number) {
  std::array<char, 32> letters{};
  const auto end = std::to_chars(letters.data(), letters.data() + letters.size(), number);
  std::string text(letters.data(), end.ptr);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

std::string generic_text(const GenericValue& value, const TextTable& texts) {
  GenericWriter writer(texts);
  writer.write(value);
  if (writer.text.size() <= longest_text) return writer.text;
  return writer.text.substr(0, longest_text) + "...";
}

std::vector<std::pair<std::string, std::string>> items_as_text(const GenericValue& dict,
                                                               const TextTable& texts) {
  std::vector<std::pair<std::string, std::string>> items;
  const auto* content = std::get_if<GenericDict>(&dict.content);
  if (content == nullptr) return items;
  for (const auto& [key, value] : content->items) {
    const auto* name = std::get_if<TextId>(&key->content);
    items.emplace_back(name ? std::string(texts.text(*name)) : generic_text(*key, texts),
                       generic_text(*value, texts));
  }
  return items;
}

bool is_text(const GenericValue& value, std::string_view text, const TextTable& texts) {
  const auto* id = std::get_if<TextId>(&value.content);
  return id != nullptr && texts.text(*id) == text;
}

const GenericValue* find_item(const GenericValue& dict, std::string_view name,
                              const TextTable& texts) {
  const auto* content = std::get_if<GenericDict>(&dict.content);
  if (content == nullptr) return nullptr;
  const GenericValue* found = nullptr;
  for (const auto& [key, value] : content->items)
    if (is_text(*key, name, texts)) found = value.get();
  return found;
}

GenericPointer with_item(const GenericValue& dict, std::string_view name,
                         const GenericPointer& value, const TextTable& texts) {
  GenericDict changed = std::get<GenericDict>(dict.content);
  for (auto& [key, item] : changed.items)
    if (is_text(*key, name, texts)) item = value;
  return make_generic(std::move(changed));
}

bool says_true(const GenericValue& value) {
  if (const auto* flag = std::get_if<bool>(&value.content)) return *flag;
  const auto* list = std::get_if<GenericList>(&value.content);
  if (list == nullptr) return false;
  for (const GenericPointer& item : list->items) {
    const auto* flag = std::get_if<bool>(&item->content);
    if (flag != nullptr && *flag) return true;
  }
  return false;
}

std::string decimal_of(std::string_view bytes) {
  std::string left(bytes);
  left += sign_byte(left);
  const bool is_negative = has_sign(left);
  if (is_negative) negate(left);
  std::string digits;
  for (auto byte = left.rbegin(); byte != left.rend(); ++byte)
    shift_in(digits, 10, 256, static_cast<unsigned char>(*byte));
  if (digits.empty()) digits += '\0';
  for (char& digit : digits) digit = static_cast<char>(digit + '0');
  if (is_negative) digits += '-';
  std::ranges::reverse(digits);
  return digits;
}

std::string bytes_of_decimal(std::string_view decimal) {
  const bool is_negative = decimal.starts_with('-');
  std::string bytes;
  for (const char digit : decimal.substr(is_negative ? 1 : 0))
    shift_in(bytes, 256, 10, static_cast<unsigned>(digit - '0'));
  bytes += '\0';
  if (is_negative) negate(bytes);
  bytes.resize(without_needless_bytes(bytes).size());
  return bytes;
}

std::string_view without_needless_bytes(std::string_view bytes) {
  while (bytes.size() > 1 && bytes.back() == sign_byte(bytes.substr(0, bytes.size() - 1)))
    bytes.remove_suffix(1);
  return bytes;
}

}  // namespace vramlab::traces
