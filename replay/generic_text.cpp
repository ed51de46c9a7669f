#include "replay/generic_text.h"

#include <array>
#include <charconv>

namespace vramlab::replay {
namespace {

/// Shared parts can make a small file a huge tree, so writing stops at some length.
constexpr std::size_t longest_text = 2000;

class GenericWriter {
 public:
  explicit GenericWriter(const traces::TextTable& texts) : texts_(texts) {}

  // Depth is limited by whoever made the value (traces::deepest_generic_value).
  void write(const traces::GenericValue& value) {
    if (text.size() > longest_text) return;
    std::visit([this](const auto& content) { write_content(content); }, value.content);
  }
  std::string text;

 private:
  void write_content(traces::NoneValue) { text += "None"; }
  void write_content(bool flag) { text += flag ? "True" : "False"; }
  void write_content(traces::WholeNumber number) {
    text += number.is_negative ? std::to_string(static_cast<std::int64_t>(number.bits))
                               : std::to_string(number.bits);
  }
  void write_content(double real) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), real);
    text.append(digits.data(), end.ptr);
    const std::string_view shown(digits.data(), static_cast<std::size_t>(end.ptr - digits.data()));
    if (shown.find_first_not_of("-0123456789") == std::string_view::npos) text += ".0";
  }
  void write_content(traces::TextId id) { (text += '\'').append(texts_.text(id)) += '\''; }
  void write_content(const traces::GenericList& list) { write_items(list.items, "[", "]"); }
  void write_content(const traces::GenericTuple& tuple) {
    write_items(tuple.items, "(", tuple.items.size() == 1 ? ",)" : ")");
  }
  void write_content(const traces::GenericDict& dict) {
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
  void write_items(const std::vector<traces::GenericPointer>& items, const char* begin,
                   const char* end) {
    text += begin;
    const std::size_t start = text.size();
    for (const traces::GenericPointer& item : items) {
      if (text.size() > start) text += ", ";
      write(*item);
      if (text.size() > longest_text) break;
    }
    text += end;
  }

  const traces::TextTable& texts_;
};

}  // namespace

std::string generic_text(const traces::GenericValue& value, const traces::TextTable& texts) {
  GenericWriter writer(texts);
  writer.write(value);
  if (writer.text.size() <= longest_text) return writer.text;
  return writer.text.substr(0, longest_text) + "...";
}

std::vector<std::pair<std::string, std::string>> items_as_text(const traces::GenericValue& dict,
                                                               const traces::TextTable& texts) {
  std::vector<std::pair<std::string, std::string>> items;
  const auto* content = std::get_if<traces::GenericDict>(&dict.content);
  if (content == nullptr) return items;
  for (const auto& [key, value] : content->items) {
    const auto* name = std::get_if<traces::TextId>(&key->content);
    items.emplace_back(name ? std::string(texts.text(*name)) : generic_text(*key, texts),
                       generic_text(*value, texts));
  }
  return items;
}

const traces::GenericValue* find_item(const traces::GenericValue& dict, std::string_view name,
                                      const traces::TextTable& texts) {
  const auto* content = std::get_if<traces::GenericDict>(&dict.content);
  if (content == nullptr) return nullptr;
  const traces::GenericValue* found = nullptr;
  for (const auto& [key, value] : content->items) {
    const auto* text = std::get_if<traces::TextId>(&key->content);
    if (text != nullptr && texts.text(*text) == name) found = value.get();
  }
  return found;
}

bool says_true(const traces::GenericValue& value) {
  if (const auto* flag = std::get_if<bool>(&value.content)) return *flag;
  const auto* list = std::get_if<traces::GenericList>(&value.content);
  if (list == nullptr) return false;
  for (const traces::GenericPointer& item : list->items) {
    const auto* flag = std::get_if<bool>(&item->content);
    if (flag != nullptr && *flag) return true;
  }
  return false;
}

}  // namespace vramlab::replay
