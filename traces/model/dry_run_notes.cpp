#include "traces/model/dry_run_notes.h"

#include <algorithm>
#include <array>
#include <utility>

#include "traces/model/generic_text.h"
#include "traces/model/notes_reader.h"

namespace vramlab::traces {
namespace {

constexpr std::uint64_t known_format = 1;

constexpr std::array noted_kinds = {
    ProgramEventKind::options,     ProgramEventKind::memory_fraction, ProgramEventKind::empty_cache,
    ProgramEventKind::pool_create, ProgramEventKind::pool_destroy,    ProgramEventKind::pool_begin,
    ProgramEventKind::pool_end};

double share_in(const NotesReader& reader, std::string_view key) {
  const GenericValue* const value = reader.find(key);
  const auto* real = value ? std::get_if<double>(&value->content) : nullptr;
  if (real != nullptr && *real >= 0 && *real <= 1) return *real;
  return reader.refuse<double>(key, "a floating-point number from 0 to 1");
}

/// Whether the key is there and true.
bool flag_in(const NotesReader& reader, std::string_view key) {
  const GenericValue* const value = reader.find(key);
  if (value == nullptr) return false;
  const auto* flag = std::get_if<bool>(&value->content);
  return flag != nullptr ? *flag : reader.refuse<bool>(key, "True or False");
}

PoolId pool_in(const NotesReader& reader, std::string_view key) {
  const auto& items = reader.list(key);
  if (items.size() != 2) return reader.refuse<PoolId>(key, "a pair of numbers");
  const auto graph = number_of(items.front().get());
  const auto user = number_of(items.back().get());
  return graph && user ? PoolId{*graph, *user} : reader.refuse<PoolId>(key, "a pair of numbers");
}

ProgramEventKind kind_in(const NotesReader& reader, std::string_view key) {
  const auto found = program_event_kind(reader.text(key));
  if (found && std::ranges::find(noted_kinds, *found) != noted_kinds.end()) return *found;
  return reader.refuse<ProgramEventKind>(key, "a call that is known");
}

NotedCall read_call(const NotesReader& reader) {
  NotedCall call;
  call.device = reader.device();
  call.before = reader.number("before");
  call.kind = kind_in(reader, "call");
  switch (call.kind) {
    case ProgramEventKind::options:
      call.options = reader.text("text");
      break;
    case ProgramEventKind::memory_fraction:
      call.fraction = share_in(reader, "fraction");
      call.device_memory = {reader.number("device_memory")};
      break;
    case ProgramEventKind::empty_cache:
      break;
    case ProgramEventKind::pool_create:
      call.use_on_oom = flag_in(reader, "use_on_oom");
      call.no_split = flag_in(reader, "no_split");
      [[fallthrough]];
    default:
      call.pool = pool_in(reader, "pool");
  }
  return call;
}

FirstWork work_in(const NotesReader& reader, std::string_view key) {
  const std::string_view name = reader.text(key);
  if (name == "kernel") return FirstWork::kernel;
  return name == "library" ? FirstWork::library
                           : reader.refuse<FirstWork>(key, "kernel or library");
}

bool are_drivers_places(const NotesReader& reader, std::string_view key) {
  if (reader.find(key) == nullptr) return false;
  const std::string_view order = reader.text(key);
  if (order != "driver" && order != "upwards") reader.refuse<void*>(key, "driver or upwards");
  return order == "driver";
}

/// The list under the key; empty where a driver did not place segments, or the works are unknown.
std::optional<std::vector<NotedWork>> first_works_in(const NotesReader& reader,
                                                     std::string_view key) {
  if (!are_drivers_places(reader, "segments") || reader.find(key) == nullptr) return std::nullopt;
  std::vector<NotedWork> works;
  for (std::size_t i = 0; i < reader.list(key).size(); ++i) {
    const NotesReader item = reader.item(key, i);
    works.push_back({item.device(), item.number("before"), work_in(item, "work")});
  }
  return works;
}

std::vector<NotedLimit> limits_in(const NotesReader& reader, std::string_view key) {
  std::vector<NotedLimit> limits;
  if (reader.find(key) == nullptr) return limits;
  for (std::size_t i = 0; i < reader.list(key).size(); ++i) {
    const NotesReader item = reader.item(key, i);
    limits.push_back({item.device(), {item.number("bytes")}});
  }
  return limits;
}

/// The lists whose items have places, each with the key that names what an item is.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> placed_lists = {
    {{"calls", "call"}, {"first_work", "work"}}};

/// Null for a call that has no place any more.
GenericPointer moved_call(const GenericPointer& call, std::string_view name_key,
                          const TextTable& texts, const NewPlace& new_place) {
  const auto device = number_of(find_item(*call, "device", texts));
  const auto before = number_of(find_item(*call, "before", texts));
  const GenericValue* const kind = find_item(*call, name_key, texts);
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
  const NotesReader reader(value, texts, file, place);
  if (reader.number("format") != known_format)
    reader.refuse<void*>("format", "1, as later ones are not known");
  DryRunNotes notes;
  notes.torch = torch_of_notes(value, texts);
  if (reader.find("kernel_code") != nullptr) notes.kernel_code = reader.texts("kernel_code");
  if (reader.find("options") != nullptr) notes.options_at_start = reader.text("options");
  notes.memory_limits = limits_in(reader, "memory_limits");
  notes.first_works = first_works_in(reader, "first_work");
  if (reader.find("calls") == nullptr) return notes;
  notes.knows_calls = true;
  for (std::size_t i = 0; i < reader.list("calls").size(); ++i)
    notes.calls.push_back(read_call(reader.item("calls", i)));
  return notes;
}

std::string_view torch_of_notes(const GenericValue& notes, const TextTable& texts) {
  const GenericValue* const torch = find_item(notes, "torch", texts);
  const auto* id = torch ? std::get_if<TextId>(&torch->content) : nullptr;
  return id == nullptr ? std::string_view() : texts.text(*id);
}

GenericPointer moved_notes(const GenericPointer& notes, const TextTable& texts,
                           const NewPlace& new_place) {
  GenericPointer left = notes;
  for (const auto& [key, name_key] : placed_lists) {
    const GenericValue* const calls = find_item(*notes, key, texts);
    const auto* list = calls ? items_of(*calls) : nullptr;
    if (list == nullptr) continue;
    GenericList moved;
    for (const GenericPointer& call : *list)
      if (GenericPointer there = moved_call(call, name_key, texts, new_place))
        moved.items.push_back(std::move(there));
    left = with_item(*left, key, make_generic(std::move(moved)), texts);
  }
  return left;
}

GenericPointer notes_without_calls(const GenericPointer& notes, const TextTable& texts) {
  const auto* dict = std::get_if<GenericDict>(&notes->content);
  if (dict == nullptr) return notes;
  GenericDict left = *dict;
  std::erase_if(left.items, [&](const auto& item) {
    return std::ranges::any_of(placed_lists, [&](const auto& placed) {
      return is_text(*item.first, placed.first, texts);
    });
  });
  return make_generic(std::move(left));
}

}  // namespace vramlab::traces
