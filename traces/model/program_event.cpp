#include "traces/model/program_event.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "traces/io/input_error.h"

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
    row("work", F::stream, F::duration_ns, F::fault),
    row("stream_done", F::stream),
    row("event_record", F::event, F::stream),
    row("event_wait", F::event, F::stream),
    row("stream_wait", F::stream, F::for_stream),
    row("capture_begin", F::stream, F::mode),
    row("capture_end", F::stream, F::graph),
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
    row("reads", F::id, F::stream),
    row("writes", F::id, F::stream),
    row("copy", F::stream, F::duration_ns, F::direction, F::pageable),
    row("memset", F::stream, F::duration_ns),
    row("host_function", F::stream, F::duration_ns),
    row("flag_write", F::flag, F::value, F::stream),
    row("flag_wait", F::flag, F::value, F::stream),
    row("stream_create", F::stream, F::non_blocking, F::priority),
    row("stream_destroy", F::stream),
    row("stream_sync", F::stream),
    row("stream_query", F::stream),
    row("event_create", F::event, F::no_timing),
    row("event_destroy", F::event),
    row("event_sync", F::event),
    row("event_query", F::event),
    row("event_elapsed", F::event, F::from_event),
    row("device_sync"),
    row("graph_launch", F::graph, F::stream),
    row("graph_destroy", F::graph),
    row("capture_mode", F::mode),
    row("stream_from_pool", F::stream, F::priority),
    row("host_malloc", F::id, F::bytes, F::stream),
    row("host_free", F::id),
    row("host_use", F::id, F::stream),
    row("host_empty_cache"),
};

struct FieldRow {
  std::string_view name;
  bool has_default;
};

constexpr std::array<FieldRow, 23> fields = {{
    {"id", false},          {"bytes", false},       {"stream", true},    {"for_stream", false},
    {"duration_ns", false}, {"event", false},       {"pool", true},      {"scope", true},
    {"use_on_oom", true},   {"no_split", true},     {"fraction", false}, {"text", false},
    {"fault", true},        {"direction", false},   {"pageable", true},  {"flag", false},
    {"value", false},       {"non_blocking", true}, {"priority", true},  {"no_timing", true},
    {"from_event", false},  {"mode", true},         {"graph", true},
}};
static_assert(fields.size() == static_cast<std::size_t>(ProgramField::graph) + 1);

/// The value of a type by its name in a table whose rows stand in the order of the type.
template <typename Named, typename Rows>
std::optional<Named> named(const Rows& rows, std::string_view name) {
  const auto found = std::ranges::find(rows, name, [](const auto& row) { return row.name; });
  if (found == rows.end()) return std::nullopt;
  return static_cast<Named>(found - rows.begin());
}

}  // namespace

std::string_view program_event_name(ProgramEventKind kind) {
  return kinds[static_cast<std::size_t>(kind)].name;
}

std::optional<ProgramEventKind> program_event_kind(std::string_view name) {
  return named<ProgramEventKind>(kinds, name);
}

std::span<const ProgramField> program_fields(ProgramEventKind kind) {
  const KindRow& found = kinds[static_cast<std::size_t>(kind)];
  return {found.fields.data(), found.field_count};
}

bool has_field(ProgramEventKind kind, ProgramField field) {
  const auto of_kind = program_fields(kind);
  return std::ranges::find(of_kind, field) != of_kind.end();
}

std::string_view program_field_name(ProgramField field) {
  return fields[static_cast<std::size_t>(field)].name;
}

std::optional<ProgramField> program_field(std::string_view name) {
  return named<ProgramField>(fields, name);
}

bool has_default(ProgramField field) { return fields[static_cast<std::size_t>(field)].has_default; }

RefusedProgram::RefusedProgram(std::string file, std::string taker)
    : file_(std::move(file)), taker_(std::move(taker)) {}

void RefusedProgram::program_event(const ProgramEvent& event) {
  throw InputError({file_, "", "a recording without a program's own events, for " + taker_,
                    "the event '" + std::string(program_event_name(event.kind)) + "'"});
}

std::uint64_t ProgramSummary::event_count() const {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

void ProgramCounter::program_event(const ProgramEvent& event) {
  ++summary_.counts[static_cast<std::size_t>(event.kind)];
  if (event.kind == ProgramEventKind::malloc) summary_.requested += event.bytes;
  if (!event.time_ns) return;
  if (!summary_.times) summary_.times = ProgramTimes{*event.time_ns, *event.time_ns};
  summary_.times->first_ns = std::min(summary_.times->first_ns, *event.time_ns);
  summary_.times->last_ns = std::max(summary_.times->last_ns, *event.time_ns);
}

}  // namespace vramlab::traces
