#include "traces/program_event.h"

#include <algorithm>
#include <array>

namespace vramlab::traces {
namespace {

using F = ProgramField;

struct KindRow {
  std::string_view name;
  std::array<ProgramField, 4> fields;
  std::size_t field_count;
};

template <typename... Fields>
constexpr KindRow row(std::string_view name, Fields... fields) {
  return {name, {fields...}, sizeof...(fields)};
}

constexpr std::array<KindRow, program_event_kind_count> kinds = {
    row("malloc", F::id, F::bytes, F::stream),
    row("free", F::id),
    row("use", F::id, F::stream),
    row("work", F::stream, F::duration_ns),
    row("stream_done", F::stream),
    row("event_record", F::event, F::stream),
    row("event_wait", F::event, F::stream),
    row("stream_wait", F::stream, F::for_stream),
    row("capture_begin", F::stream),
    row("capture_end", F::stream),
    row("pool_create", F::pool, F::use_on_oom, F::no_split),
    row("pool_begin", F::pool, F::scope, F::stream),
    row("pool_end", F::pool),
    row("pool_release", F::pool),
    row("pool_destroy", F::pool),
    row("options", F::text),
    row("memory_fraction", F::fraction),
    row("empty_cache", F::pool),
    row("external", F::bytes),
    row("snapshot"),
    row("reset_peak_stats"),
    row("reset_accumulated_stats"),
    row("checkpoint", F::text, F::pool),
    row("restore", F::text, F::id),
    row("marker", F::text),
    row("range_begin", F::text),
    row("range_end", F::text),
};

struct FieldRow {
  std::string_view name;
  bool has_default;
};

constexpr std::array<FieldRow, 12> fields = {{
    {"id", false},
    {"bytes", false},
    {"stream", true},
    {"for_stream", false},
    {"duration_ns", false},
    {"event", false},
    {"pool", true},
    {"scope", true},
    {"use_on_oom", true},
    {"no_split", true},
    {"fraction", false},
    {"text", false},
}};
static_assert(fields.size() == static_cast<std::size_t>(ProgramField::text) + 1);

constexpr std::array<std::string_view, 3> scopes = {"every_stream", "one_stream",
                                                    "capturing_streams"};

}  // namespace

std::string_view program_event_name(ProgramEventKind kind) {
  return kinds[static_cast<std::size_t>(kind)].name;
}

std::optional<ProgramEventKind> program_event_kind(std::string_view name) {
  for (std::size_t i = 0; i < kinds.size(); ++i)
    if (kinds[i].name == name) return static_cast<ProgramEventKind>(i);
  return std::nullopt;
}

std::span<const ProgramField> program_fields(ProgramEventKind kind) {
  const KindRow& found = kinds[static_cast<std::size_t>(kind)];
  return {found.fields.data(), found.field_count};
}

bool has_text(ProgramEventKind kind) {
  const auto of_kind = program_fields(kind);
  return std::find(of_kind.begin(), of_kind.end(), ProgramField::text) != of_kind.end();
}

std::string_view program_field_name(ProgramField field) {
  return fields[static_cast<std::size_t>(field)].name;
}

std::optional<ProgramField> program_field(std::string_view name) {
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (fields[i].name == name) return static_cast<ProgramField>(i);
  return std::nullopt;
}

bool has_default(ProgramField field) { return fields[static_cast<std::size_t>(field)].has_default; }

std::string_view scope_name(ScopeStreams scope) { return scopes[static_cast<std::size_t>(scope)]; }

std::optional<ScopeStreams> scope_of_name(std::string_view name) {
  for (std::size_t i = 0; i < scopes.size(); ++i)
    if (scopes[i] == name) return static_cast<ScopeStreams>(i);
  return std::nullopt;
}

}  // namespace vramlab::traces
