// The calls of recorded cases, for a device's allocator (events of a program) and for pinned memory
// (HostCall). A form says the name that cases have for a call, and its values in their order; the
// reader of cases and the text for people follow the same two tables.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "allocator/types/host_values.h"
#include "traces/model/program_event.h"

namespace vramlab::traces {

/// Calls that only the allocator of pinned memory knows have no event of a program.
enum class HostCallKind : std::uint8_t {
  malloc,
  free,
  use,
  /// By an address, without a handle.
  use_address,
  work,
  complete,
  background,
  empty_cache,
  options,
  host_limit,
  poison,
  statistics,
  snapshot,
  reset_peak,
  reset_accumulated,
  current_stream,
  capture,
  pool_begin,
  pool_end,
  pool_release,
  record_history,
  register_external,
  unregister_external,
};

/// A value that a call does not need keeps its default.
struct HostCall {
  HostCallKind kind = HostCallKind::malloc;
  std::uint64_t id = 0;
  /// In a use by address: the distance behind the id's address.
  Bytes bytes = {};
  /// The memory of an external registration.
  Address address = {};
  StreamId stream = {};
  bool on = false;
  PoolId pool = {};
  ScopeStreams scope = ScopeStreams::every_stream;
  HostStackLevel level = HostStackLevel::never;
  /// Entries of the history.
  std::uint64_t limit = 0;
  bool clear = false;
  /// The new options.
  std::string text = {};
};

/// By their levels.
inline constexpr std::array<std::string_view, 4> host_level_names = {"never", "state", "alloc",
                                                                     "all"};

/// The meaning of a value of a call.
enum class CallField : std::uint8_t {
  none,
  id,
  bytes,
  stream,
  scope,
  text,
  /// The second half of a pool's id.
  pool,
  // Only calls for a device have these.
  waited_stream,
  /// May be left out.
  maybe_pool,
  fraction,
  traits,
  // Only calls for pinned memory have these.
  pool_graph,
  address,
  on,
  level,
  limit,
  clear,
};

template <typename Kind>
struct CallFormOf {
  std::string_view name;
  Kind kind;
  std::array<CallField, 4> fields{};
};
using CallForm = CallFormOf<ProgramEventKind>;
using HostCallForm = CallFormOf<HostCallKind>;

// The most frequent forms come first, as they are looked up one by one.
std::span<const CallForm> call_forms();
std::span<const HostCallForm> host_call_forms();

/// Such as `malloc, 5, 1000, 0`; `text` is that of the event. Requires: cases have such a call.
std::string call_text(const ProgramEvent& call, std::string_view text);
std::string call_text(const HostCall& call);

}  // namespace vramlab::traces
