#include "tools/cli/commands/serve/serving_notes.h"

#include "tools/cli/printers/json_text.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;

std::optional<std::uint64_t> count_in(const ordered_json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_unsigned()) return std::nullopt;
  return found->get<std::uint64_t>();
}

std::vector<ordered_json> list_in(const ordered_json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_array()) return {};
  return {found->begin(), found->end()};
}

ServingMark mark_from(const ordered_json& told) {
  ServingMark mark;
  mark.phase = text_in(told, "phase");
  mark.is_end = text_in(told, "stage") == "end";
  mark.label = text_in(told, "label");
  mark.device = static_cast<std::int64_t>(count_in(told, "device").value_or(0));
  mark.before = count_in(told, "before").value_or(0);
  mark.allocated = Bytes{count_in(told, "allocated").value_or(0)};
  mark.reserved = Bytes{count_in(told, "reserved").value_or(0)};
  if (const auto outside = told.find("outside");
      outside != told.end() && outside->is_number_integer())
    mark.outside = outside->get<std::int64_t>();
  return mark;
}

}  // namespace

std::optional<std::uint64_t> EngineFigures::count(const char* name) const {
  return count_in(values, name);
}

std::optional<double> EngineFigures::number(const char* name) const {
  const auto found = values.find(name);
  if (found == values.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

std::string EngineFigures::text(const char* name) const { return text_in(values, name); }

ServingNotes serving_notes(const ordered_json& told) {
  ServingNotes notes;
  if (!told.is_object()) return notes;
  notes.engine = text_in(told, "engine");
  notes.version = text_in(told, "version");
  notes.failed_in = text_in(told, "failed_in");
  for (const ordered_json& name : list_in(told, "missing"))
    if (name.is_string()) notes.missing.push_back(name.get<std::string>());
  for (const ordered_json& mark : list_in(told, "marks"))
    if (mark.is_object()) notes.marks.push_back(mark_from(mark));
  if (const auto says = told.find("says"); says != told.end() && says->is_object())
    notes.says.values = *says;
  if (const auto ready = told.find("is_ready"); ready != told.end() && ready->is_boolean())
    notes.is_ready = ready->get<bool>();
  return notes;
}

}  // namespace vramlab::tools
