// NotesReader: the values under the keys of a dict of notes, such as those of a dry run. Each of
// its functions refuses a value of another kind with the file, the place, what was expected and
// what was found.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "traces/io/input_error.h"
#include "traces/model/generic_text.h"
#include "traces/model/snapshot_tables.h"
#include "traces/model/snapshot_values.h"

namespace vramlab::traces {

/// Empty unless it is a whole number from 0 on.
inline std::optional<std::uint64_t> number_of(const GenericValue* value) {
  const auto* number = value ? std::get_if<WholeNumber>(&value->content) : nullptr;
  if (number == nullptr || number->is_negative) return std::nullopt;
  return number->bits;
}

class NotesReader {
 public:
  /// The value and the texts must outlive it. `place`: of the dict in its file. Throws InputError
  /// if it is no dict.
  NotesReader(const GenericValue& dict, const TextTable& texts, std::string file, std::string place)
      : dict_(dict), texts_(texts), file_(std::move(file)), place_(std::move(place)) {
    if (!std::holds_alternative<GenericDict>(dict.content))
      throw InputError({file_, place_, "a dict", generic_text(dict, texts)});
  }

  const GenericValue* find(std::string_view key) const { return find_item(dict_, key, texts_); }

  std::uint64_t number(std::string_view key) const {
    const auto found = number_of(find(key));
    return found ? *found : refuse<std::uint64_t>(key, "a number from 0 on");
  }
  std::string_view text(std::string_view key) const {
    const GenericValue* const value = find(key);
    const auto* id = value ? std::get_if<TextId>(&value->content) : nullptr;
    if (id == nullptr) return refuse<std::string_view>(key, "a text");
    return texts_.text(*id);
  }
  const std::vector<GenericPointer>& list(std::string_view key) const {
    const GenericValue* const value = find(key);
    const auto* items = value ? items_of(*value) : nullptr;
    return items != nullptr ? *items : refuse<const std::vector<GenericPointer>&>(key, "a list");
  }
  std::vector<std::string> texts(std::string_view key) const {
    std::vector<std::string> texts;
    for (const GenericPointer& item : list(key)) {
      const auto* id = std::get_if<TextId>(&item->content);
      if (id == nullptr) return refuse<std::vector<std::string>>(key, "a list of texts");
      texts.emplace_back(texts_.text(*id));
    }
    return texts;
  }
  DeviceIndex device() const {
    const std::uint64_t device = number("device");
    if (device > UINT32_MAX) refuse<void*>("device", "the number of a device");
    return {static_cast<std::uint32_t>(device)};
  }
  template <class Value>
  [[noreturn]] Value refuse(std::string_view key, std::string_view expected) const {
    const GenericValue* const value = find(key);
    throw InputError({file_, place_of(key), std::string(expected),
                      value == nullptr ? "none" : generic_text(*value, texts_)});
  }

  const TextTable& text_table() const { return texts_; }
  const std::string& file() const { return file_; }
  std::string place_of(std::string_view key) const {
    return place_ + "['" + std::string(key) + "']";
  }
  /// A dict in the list under a key.
  NotesReader item(std::string_view key, std::size_t index) const {
    return {*list(key)[index], texts_, file_, place_of(key) + "[" + std::to_string(index) + "]"};
  }

 private:
  const GenericValue& dict_;
  const TextTable& texts_;
  std::string file_;
  std::string place_;
};

}  // namespace vramlab::traces
