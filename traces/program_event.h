// ProgramEvent: one thing that a program does to the allocator, its streams or its device, as a
// native trace holds it. Which fields a kind has is one table, which both forms of the native trace
// are read and written by (docs/trace_format.md).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "allocator/ids.h"
#include "traces/call.h"
#include "traces/snapshot_sink.h"

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
};
inline constexpr std::size_t program_event_kind_count =
    static_cast<std::size_t>(ProgramEventKind::range_end) + 1;

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
};

/// A field that its kind does not have is at its default.
struct ProgramEvent {
  ProgramEventKind kind = ProgramEventKind::snapshot;
  ScopeStreams scope = ScopeStreams::every_stream;
  bool use_on_oom = false;
  bool no_split = false;
  DeviceIndex device;
  TextId text;
  /// Where in the program it happened.
  StackId stack;
  /// From any beginning, the same for all events of a trace.
  std::optional<std::uint64_t> time_ns;
  /// Names what a malloc gave, until it is freed.
  std::uint64_t id = 0;
  allocator::Bytes bytes;
  allocator::StreamId stream;
  /// The stream that is waited for.
  allocator::StreamId for_stream;
  std::uint64_t duration_ns = 0;
  allocator::EventId event;
  allocator::PoolId pool;
  double fraction = 0;

  friend bool operator==(const ProgramEvent&, const ProgramEvent&) = default;
};

/// The text of a marker that stands for a request that failed, where a log told of one.
inline constexpr std::string_view failure_marker = "out of memory";

/// Such as `malloc`.
std::string_view program_event_name(ProgramEventKind kind);
/// Nothing where no kind has this name.
std::optional<ProgramEventKind> program_event_kind(std::string_view name);
/// The fields of a kind. The first is what the event is about.
std::span<const ProgramField> program_fields(ProgramEventKind kind);

bool has_text(ProgramEventKind kind);

/// Such as `bytes`.
std::string_view program_field_name(ProgramField field);
std::optional<ProgramField> program_field(std::string_view name);
/// Whether it may be left out, and is 0 or false then.
bool has_default(ProgramField field);

std::string_view scope_name(ScopeStreams scope);
std::optional<ScopeStreams> scope_of_name(std::string_view name);

}  // namespace vramlab::traces
