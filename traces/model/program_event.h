// ProgramEvent: one thing that a program does to the allocator, its streams or its device, as a
// native trace holds it. Which fields a kind has is one table, which both forms of the native trace
// are read and written by (docs/reference/trace_format.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "allocator/types/bytes_and_ids.h"
#include "allocator/types/check.h"
#include "traces/model/snapshot_values.h"

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

/// True for events about pinned memory of the host, which all devices share. Ids of such memory are
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

/// The streams that a capture scope accepts.
enum class ScopeStreams : std::uint8_t { every_stream, one_stream, capturing_streams };
/// The error with which a kernel ends.
enum class WorkFault : std::uint8_t { none, illegal_address, launch_failure };
enum class CopyDirection : std::uint8_t { to_device, to_host, on_device };
/// The threads whose calls a capture forbids.
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
  /// A lower number goes first, as in CUDA.
  std::int32_t priority = 0;
  TextId text;
  /// The stack at which it happened.
  StackId stack;
  /// From any beginning, the same for all events of a trace.
  std::optional<std::uint64_t> time_ns;
  /// Names the memory that a malloc gave, until it is freed.
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

/// The text of a marker that stands for a failed request in a log.
inline constexpr std::string_view failure_marker = "out of memory";

/// Priorities go from minus this to this.
inline constexpr std::int32_t farthest_priority = 1000;

/// Such as `malloc`.
std::string_view program_event_name(ProgramEventKind kind);
/// Null if no kind has this name.
std::optional<ProgramEventKind> program_event_kind(std::string_view name);
/// The fields of a kind. The first is the subject of the event.
std::span<const ProgramField> program_fields(ProgramEventKind kind);

bool has_field(ProgramEventKind kind, ProgramField field);
inline bool has_text(ProgramEventKind kind) { return has_field(kind, ProgramField::text); }

/// Such as `bytes`.
std::string_view program_field_name(ProgramField field);
std::optional<ProgramField> program_field(std::string_view name);
/// True if the field may be left out, and is as after the event's construction then.
bool has_default(ProgramField field);

/// The words that stand for the values of a small enumeration in text, in the order of its type.
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

struct TraceDevice {
  DeviceIndex index;
  /// 0 where the size is not known.
  Bytes memory;
  std::string name;
  friend bool operator==(const TraceDevice&, const TraceDevice&) = default;
};

/// The first record of a native trace. Any text may be empty.
struct TraceHeader {
  /// The source, in a word or two: `snapshot`, `workload training`.
  std::string origin;
  /// The option string in force at the start.
  std::string settings;
  /// The reference's version, such as `2.6`.
  std::string reference;
  /// The devices about which more than a number is known; events may name others.
  std::vector<TraceDevice> devices;
  /// The version of the native trace: 2 if it may hold events about pinned host memory.
  std::uint32_t version = 1;
  friend bool operator==(const TraceHeader&, const TraceHeader&) = default;
};

/// Takes the header and the program's events of a native trace, in the order of the file. Recorded
/// values go to a SnapshotSink beside it.
class ProgramSink : public Interface {
 public:
  /// Once, before everything else of the file.
  virtual void header(const TraceHeader&) {}
  virtual void program_event(const ProgramEvent& event) = 0;
};

/// The two sinks that take a whole native trace.
struct NativeSinks {
  SnapshotSink& recorded;
  ProgramSink& program;
};

/// Writes the values of a reader in one format, at once. A format without a place for a program's
/// own events refuses them, so that none is lost unseen.
class TraceWriter : public Interface {
 public:
  virtual NativeSinks sinks() = 0;
  /// After the last record: without it, the end is missing.
  virtual void finish() = 0;
};

/// For formats and commands that have no place for a program's events: it refuses the first event.
class RefusedProgram : public ProgramSink {
 public:
  /// Both are for the message: the input's name, and the taker of no programs, such as `a pickle`.
  RefusedProgram(std::string file, std::string taker);
  void program_event(const ProgramEvent& event) override;

 private:
  std::string file_;
  std::string taker_;
};

struct ProgramTimes {
  std::uint64_t first_ns = 0;
  std::uint64_t last_ns = 0;
};

/// The events of a program, counted while a native trace is read.
struct ProgramSummary {
  TraceHeader header;
  /// By kind.
  std::array<std::uint64_t, program_event_kind_count> counts{};
  /// All mallocs together.
  Bytes requested;
  /// Null if no event has a time.
  std::optional<ProgramTimes> times;

  std::uint64_t event_count() const;
};

class ProgramCounter : public ProgramSink {
 public:
  void header(const TraceHeader& header) override { summary_.header = header; }
  void program_event(const ProgramEvent& event) override;
  const ProgramSummary& summary() const { return summary_; }

 private:
  ProgramSummary summary_;
};

}  // namespace vramlab::traces
