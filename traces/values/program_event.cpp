#include "traces/values/program_event.h"

#include <algorithm>
#include <array>

#include "allocator/words/check.h"

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

constexpr std::array<std::string_view, 3> scopes = {"every_stream", "one_stream",
                                                    "capturing_streams"};
constexpr std::array<std::string_view, 3> faults = {"none", "illegal_address", "launch_failure"};
constexpr std::array<std::string_view, 3> directions = {"to_device", "to_host", "on_device"};
constexpr std::array<std::string_view, 3> modes = {"global", "thread_local", "relaxed"};

/// The event's own field, to be read or set.
template <class Event>
auto& number_in(Event& event, ProgramField field) {
  switch (field) {
    case ProgramField::id:
      return event.id;
    case ProgramField::bytes:
      return event.bytes.count;
    case ProgramField::stream:
      return event.stream.value;
    case ProgramField::for_stream:
      return event.for_stream.value;
    case ProgramField::duration_ns:
      return event.duration_ns;
    case ProgramField::event:
      return event.event.value;
    case ProgramField::from_event:
      return event.from_event.value;
    case ProgramField::flag:
      return event.flag;
    case ProgramField::value:
      return event.value;
    case ProgramField::graph:
      return event.graph;
    default:
      check_failed("only fields that are numbers are asked for one", __FILE__, __LINE__);
  }
}

template <class Event, typename OnChoice>
std::size_t with_choice(Event& event, ProgramField field, const OnChoice& on_choice) {
  switch (field) {
    case ProgramField::scope:
      return on_choice(event.scope);
    case ProgramField::fault:
      return on_choice(event.fault);
    case ProgramField::direction:
      return on_choice(event.direction);
    default:
      check(field == ProgramField::mode, "a field of choices is asked for its choice");
      return on_choice(event.mode);
  }
}

template <class Event>
auto* switch_in(Event& event, ProgramField field) {
  switch (field) {
    case ProgramField::use_on_oom:
      return &event.use_on_oom;
    case ProgramField::no_split:
      return &event.no_split;
    case ProgramField::pageable:
      return &event.pageable;
    case ProgramField::non_blocking:
      return &event.non_blocking;
    case ProgramField::no_timing:
      return &event.no_timing;
    default:
      return static_cast<decltype(&event.no_split)>(nullptr);
  }
}

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

bool is_choice(ProgramField field) { return !choices(field).empty(); }

std::span<const std::string_view> choices(ProgramField field) {
  switch (field) {
    case ProgramField::scope:
      return scopes;
    case ProgramField::fault:
      return faults;
    case ProgramField::direction:
      return directions;
    case ProgramField::mode:
      return modes;
    default:
      return {};
  }
}

std::size_t choice_of(const ProgramEvent& event, ProgramField field) {
  return with_choice(event, field, [](auto choice) { return static_cast<std::size_t>(choice); });
}

void set_choice(ProgramEvent& event, ProgramField field, std::size_t choice) {
  check(choice < choices(field).size(), "one of the field's choices is made");
  with_choice(event, field, [choice]<typename Choice>(Choice& set) {
    set = static_cast<Choice>(choice);
    return choice;
  });
}

std::uint64_t number_of(const ProgramEvent& event, ProgramField field) {
  return number_in(event, field);
}

void set_number(ProgramEvent& event, ProgramField field, std::uint64_t number) {
  number_in(event, field) = number;
}

bool is_switch(ProgramField field) {
  ProgramEvent any;
  return switch_in(any, field) != nullptr;
}

bool switch_of(const ProgramEvent& event, ProgramField field) { return *switch_in(event, field); }

void set_switch(ProgramEvent& event, ProgramField field, bool is_on) {
  *switch_in(event, field) = is_on;
}

}  // namespace vramlab::traces
