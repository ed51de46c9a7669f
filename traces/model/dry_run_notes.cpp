#include "traces/model/dry_run_notes.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "traces/io/input_error.h"
#include "traces/model/generic_text.h"

namespace vramlab::traces {
namespace {

constexpr std::uint64_t known_format = 1;

constexpr std::array noted_kinds = {
    ProgramEventKind::options,     ProgramEventKind::memory_fraction,
    ProgramEventKind::empty_cache, ProgramEventKind::pool_destroy,
    ProgramEventKind::pool_begin,  ProgramEventKind::pool_end};

std::optional<std::uint64_t> number_of(const GenericValue* value) {
  const auto* number = value ? std::get_if<WholeNumber>(&value->content) : nullptr;
  if (number == nullptr || number->is_negative) return std::nullopt;
  return number->bits;
}

/// Reads the values under the keys of one dict; each refuses a value of another kind.
class NotesReader {
 public:
  NotesReader(const GenericValue& dict, const TextTable& texts, std::string file, std::string place)
      : dict_(dict), texts_(texts), file_(std::move(file)), place_(std::move(place)) {}

  const GenericValue* find(std::string_view key) const { return find_item(dict_, key, texts_); }

  std::uint64_t number(std::string_view key) const {
    const auto found = number_of(find(key));
    return found ? *found : refuse<std::uint64_t>(key, "a number from 0 on");
  }
  std::string text(std::string_view key) const {
    const GenericValue* const value = find(key);
    const auto* id = value ? std::get_if<TextId>(&value->content) : nullptr;
    if (id == nullptr) return refuse<std::string>(key, "a text");
    return std::string(texts_.text(*id));
  }
  double share(std::string_view key) const {
    const GenericValue* const value = find(key);
    const auto* real = value ? std::get_if<double>(&value->content) : nullptr;
    if (real != nullptr && *real >= 0 && *real <= 1) return *real;
    return refuse<double>(key, "a floating-point number from 0 to 1");
  }
  PoolId pool(std::string_view key) const {
    const GenericValue* const value = find(key);
    const auto* items = value ? items_of(*value) : nullptr;
    if (items == nullptr || items->size() != 2) return refuse<PoolId>(key, "a pair of numbers");
    const auto graph = number_of(items->front().get());
    const auto user = number_of(items->back().get());
    return graph && user ? PoolId{*graph, *user} : refuse<PoolId>(key, "a pair of numbers");
  }
  ProgramEventKind kind(std::string_view key) const {
    const auto found = program_event_kind(text(key));
    if (found && std::ranges::find(noted_kinds, *found) != noted_kinds.end()) return *found;
    return refuse<ProgramEventKind>(key, "a call that is known");
  }
  template <class Value>
  [[noreturn]] Value refuse(std::string_view key, const char* expected) const {
    const GenericValue* const value = find(key);
    throw InputError({file_, place_ + "['" + std::string(key) + "']", expected,
                      value == nullptr ? "none" : generic_text(*value, texts_)});
  }

 private:
  const GenericValue& dict_;
  const TextTable& texts_;
  std::string file_;
  std::string place_;
};

NotedCall read_call(const NotesReader& reader) {
  NotedCall call;
  const std::uint64_t device = reader.number("device");
  if (device > std::numeric_limits<std::uint32_t>::max())
    reader.refuse<void*>("device", "the number of a device");
  call.device = {static_cast<std::uint32_t>(device)};
  call.before = reader.number("before");
  call.kind = reader.kind("call");
  switch (call.kind) {
    case ProgramEventKind::options:
      call.options = reader.text("text");
      break;
    case ProgramEventKind::memory_fraction:
      call.fraction = reader.share("fraction");
      call.device_memory = {reader.number("device_memory")};
      break;
    case ProgramEventKind::empty_cache:
      break;
    default:
      call.pool = reader.pool("pool");
  }
  return call;
}

bool is_key(const GenericValue& key, std::string_view name, const TextTable& texts) {
  const auto* id = std::get_if<TextId>(&key.content);
  return id != nullptr && texts.text(*id) == name;
}

/// A dict with another value under one key.
GenericPointer with_item(const GenericValue& dict, std::string_view name, GenericPointer value,
                         const TextTable& texts) {
  GenericDict changed = std::get<GenericDict>(dict.content);
  for (auto& [key, item] : changed.items)
    if (is_key(*key, name, texts)) item = value;
  return make_generic(std::move(changed));
}

/// Null for a call that has no place any more.
GenericPointer moved_call(const GenericPointer& call, const TextTable& texts,
                          const NewPlace& new_place) {
  const auto device = number_of(find_item(*call, "device", texts));
  const auto before = number_of(find_item(*call, "before", texts));
  const GenericValue* const kind = find_item(*call, "call", texts);
  const auto* name = kind ? std::get_if<TextId>(&kind->content) : nullptr;
  if (!device || !before || name == nullptr) return call;
  const auto place = new_place(texts.text(*name), {static_cast<std::uint32_t>(*device)}, *before);
  if (!place) return nullptr;
  return with_item(*call, "before", make_generic(WholeNumber{*place, false}), texts);
}

}  // namespace

DryRunNotes read_dry_run_notes(const GenericValue& value, const TextTable& texts,
                               const std::string& file) {
  const std::string place = "['" + std::string(dry_run_key) + "']";
  if (!std::holds_alternative<GenericDict>(value.content))
    throw InputError({file, place, "a dict", generic_text(value, texts)});
  const NotesReader reader(value, texts, file, place);
  if (reader.number("format") != known_format)
    reader.refuse<void*>("format", "1, as later ones are not known");
  DryRunNotes notes;
  notes.torch = torch_of_notes(value, texts);
  if (reader.find("options") != nullptr) notes.options_at_start = reader.text("options");
  const GenericValue* const calls = reader.find("calls");
  if (calls == nullptr) return notes;
  const auto* list = items_of(*calls);
  if (list == nullptr) reader.refuse<void*>("calls", "a list");
  notes.knows_calls = true;
  for (const GenericPointer& call : *list)
    notes.calls.push_back(read_call(
        {*call, texts, file, place + "['calls'][" + std::to_string(notes.calls.size()) + "]"}));
  return notes;
}

std::string_view torch_of_notes(const GenericValue& notes, const TextTable& texts) {
  const GenericValue* const torch = find_item(notes, "torch", texts);
  const auto* id = torch ? std::get_if<TextId>(&torch->content) : nullptr;
  return id == nullptr ? std::string_view() : texts.text(*id);
}

GenericPointer moved_notes(const GenericPointer& notes, const TextTable& texts,
                           const NewPlace& new_place) {
  const GenericValue* const calls = find_item(*notes, "calls", texts);
  const auto* list = calls ? items_of(*calls) : nullptr;
  if (list == nullptr) return notes;
  GenericList moved;
  for (const GenericPointer& call : *list)
    if (GenericPointer there = moved_call(call, texts, new_place))
      moved.items.push_back(std::move(there));
  return with_item(*notes, "calls", make_generic(std::move(moved)), texts);
}

GenericPointer notes_without_calls(const GenericPointer& notes, const TextTable& texts) {
  const auto* dict = std::get_if<GenericDict>(&notes->content);
  if (dict == nullptr) return notes;
  GenericDict left = *dict;
  std::erase_if(left.items, [&](const auto& item) { return is_key(*item.first, "calls", texts); });
  return make_generic(std::move(left));
}

}  // namespace vramlab::traces
