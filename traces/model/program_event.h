// ProgramEvent: one thing that a program does to the allocator, its streams or its device, as a
// native trace holds it. Which fields a kind has is one table, which both forms of the native trace
// are read and written by (docs/reference/trace_format.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "allocator/types/bytes_and_ids.h"
#include "allocator/types/check.h"
#include "traces/model/snapshot_sink.h"

namespace vramlab::traces {

/// The numbers stand in binary traces: a new kind goes to the end.
enum class ProgramEventKind : std::uint8_t {
  malloc,
  free,
  use,
  work,
  stream_done,
  event_record,
  event_wait,
  stream_wait,
  capture_begin,
  capture_end,
  pool_create,
  pool_begin,
  pool_end,
  pool_release,
  pool_destroy,
  options,
  memory_fraction,
  empty_cache,
  external,
  snapshot,
  reset_peak_stats,
  reset_accumulated_stats,
  checkpoint,
  restore,
  marker,
  range_begin,
  range_end,
  reads,
  writes,
  copy,
  memset,
  host_function,
  flag_write,
  flag_wait,
  stream_create,
  stream_destroy,
  stream_sync,
  stream_query,
  event_create,
  event_destroy,
  event_sync,
  event_query,
  event_elapsed,
  device_sync,
  graph_launch,
  graph_destroy,
  capture_mode,
  stream_from_pool,
  host_malloc,
  host_free,
  host_use,
  host_empty_cache,
};
inline constexpr std::size_t program_event_kind_count =
    static_cast<std::size_t>(ProgramEventKind::host_empty_cache) + 1;

/// Whether it is about pinned memory of the host, which all devices share. Ids of such memory are
/// names apart from those of device memory.
constexpr bool is_of_host(ProgramEventKind kind) { return kind >= ProgramEventKind::host_malloc; }
/// The first version of the native trace that has this kind.
constexpr std::uint32_t trace_version_of(ProgramEventKind kind) { return is_of_host(kind) ? 2 : 1; }

enum class ProgramField : std::uint8_t {
  id,
  bytes,
  stream,
  for_stream,
  duration_ns,
  event,
  pool,
  scope,
  use_on_oom,
  no_split,
  fraction,
  text,
  fault,
  direction,
  pageable,
  flag,
  value,
  non_blocking,
  priority,
  no_timing,
  from_event,
  mode,
  graph,
};

/// Which streams a capture scope accepts.
enum class ScopeStreams : std::uint8_t { every_stream, one_stream, capturing_streams };
/// What a kernel ends with.
enum class WorkFault : std::uint8_t { none, illegal_address, launch_failure };
enum class CopyDirection : std::uint8_t { to_device, to_host, on_device };
/// Which calls of which threads a capture forbids.
enum class CaptureStrictness : std::uint8_t { global, thread_local_only, relaxed };

/// A field that its kind does not have is at its default.
struct ProgramEvent {
  ProgramEventKind kind = ProgramEventKind::snapshot;
  ScopeStreams scope = ScopeStreams::every_stream;
  bool use_on_oom = false;
  bool no_split = false;
  /// A copy from or to pageable memory: its thread waits for it.
  bool pageable = false;
  bool non_blocking = false;
  bool no_timing = false;
  WorkFault fault = WorkFault::none;
  CopyDirection direction = CopyDirection::to_device;
  CaptureStrictness mode = CaptureStrictness::global;
  DeviceIndex device;
  /// The thread of the host.
  std::uint32_t thread = 0;
  /// The lower, the sooner, as in CUDA.
  std::int32_t priority = 0;
  TextId text;
  /// The stack at which it happened.
  StackId stack;
  /// From any beginning, the same for all events of a trace.
  std::optional<std::uint64_t> time_ns;
  /// Names what a malloc gave, until it is freed.
  std::uint64_t id = 0;
  Bytes bytes;
  StreamId stream;
  /// The stream that is waited for.
  StreamId for_stream;
  std::uint64_t duration_ns = 0;
  EventId event;
  /// The event that time is counted from.
  EventId from_event;
  std::uint64_t flag = 0;
  std::uint64_t value = 0;
  std::uint64_t graph = 0;
  PoolId pool;
  double fraction = 0;

  friend bool operator==(const ProgramEvent&, const ProgramEvent&) = default;
};

/// The text of a marker that stands for a request that failed, where a log told of one.
inline constexpr std::string_view failure_marker = "out of memory";

/// Priorities go from minus this to this.
inline constexpr std::int32_t farthest_priority = 1000;

/// Such as `malloc`.
std::string_view program_event_name(ProgramEventKind kind);
/// Null if no kind has this name.
std::optional<ProgramEventKind> program_event_kind(std::string_view name);
/// The fields of a kind. The first is what the event is about.
std::span<const ProgramField> program_fields(ProgramEventKind kind);

bool has_field(ProgramEventKind kind, ProgramField field);
inline bool has_text(ProgramEventKind kind) { return has_field(kind, ProgramField::text); }

/// Such as `bytes`.
std::string_view program_field_name(ProgramField field);
std::optional<ProgramField> program_field(std::string_view name);
/// Whether it may be left out, and is as after the event's construction then.
bool has_default(ProgramField field);

/// The words that a value of a few stands for in text, in the order of its type.
template <typename Choice>
inline constexpr std::array<std::string_view, 3> choice_words = {};
template <>
inline constexpr std::array<std::string_view, 3> choice_words<ScopeStreams> = {
    "every_stream", "one_stream", "capturing_streams"};
template <>
inline constexpr std::array<std::string_view, 3> choice_words<WorkFault> = {
    "none", "illegal_address", "launch_failure"};
template <>
inline constexpr std::array<std::string_view, 3> choice_words<CopyDirection> = {
    "to_device", "to_host", "on_device"};
template <>
inline constexpr std::array<std::string_view, 3> choice_words<CaptureStrictness> = {
    "global", "thread_local", "relaxed"};

// A field that is a whole number from 0 on, whatever it counts.
inline std::uint64_t& number_in(std::uint64_t& number) { return number; }
inline std::uint64_t& number_in(Bytes& size) { return size.count; }
inline std::uint64_t& number_in(StreamId& stream) { return stream.value; }
inline std::uint64_t& number_in(EventId& event) { return event.value; }

/// Calls `on_member` with the event's own member for a field, of whatever type that is.
template <typename Event, typename OnMember>
decltype(auto) with_member(Event& event, ProgramField field, const OnMember& on_member) {
  switch (field) {
    case ProgramField::id:
      return on_member(event.id);
    case ProgramField::bytes:
      return on_member(event.bytes);
    case ProgramField::stream:
      return on_member(event.stream);
    case ProgramField::for_stream:
      return on_member(event.for_stream);
    case ProgramField::duration_ns:
      return on_member(event.duration_ns);
    case ProgramField::event:
      return on_member(event.event);
    case ProgramField::pool:
      return on_member(event.pool);
    case ProgramField::scope:
      return on_member(event.scope);
    case ProgramField::use_on_oom:
      return on_member(event.use_on_oom);
    case ProgramField::no_split:
      return on_member(event.no_split);
    case ProgramField::fraction:
      return on_member(event.fraction);
    case ProgramField::text:
      return on_member(event.text);
    case ProgramField::fault:
      return on_member(event.fault);
    case ProgramField::direction:
      return on_member(event.direction);
    case ProgramField::pageable:
      return on_member(event.pageable);
    case ProgramField::flag:
      return on_member(event.flag);
    case ProgramField::value:
      return on_member(event.value);
    case ProgramField::non_blocking:
      return on_member(event.non_blocking);
    case ProgramField::priority:
      return on_member(event.priority);
    case ProgramField::no_timing:
      return on_member(event.no_timing);
    case ProgramField::from_event:
      return on_member(event.from_event);
    case ProgramField::mode:
      return on_member(event.mode);
    case ProgramField::graph:
      return on_member(event.graph);
  }
  check_failed("every field of an event is known", __FILE__, __LINE__);
}

}  // namespace vramlab::traces
