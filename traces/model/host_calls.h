// The calls of recorded cases of pinned memory, each under the name that cases have for it and with
// its values in their order; the reader and the text for people follow the same table.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "allocator/types/host_values.h"
#include "traces/model/program_event.h"

namespace vramlab::traces {

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

/// What a call does not need keeps its default.
struct HostCall {
  HostCallKind kind = HostCallKind::malloc;
  std::uint64_t id = 0;
  /// In a use by address: how far behind the id's address.
  Bytes bytes = {};
  /// What an external registration is about.
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

/// What a value of a call is.
enum class HostCallField : std::uint8_t {
  none,
  id,
  bytes,
  address,
  stream,
  on,
  pool_graph,
  pool_user,
  scope,
  level,
  limit,
  clear,
  text,
};

struct HostCallForm {
  std::string_view name;
  HostCallKind kind;
  std::array<HostCallField, 4> fields{};
};

std::span<const HostCallForm> host_call_forms();

/// By their levels.
inline constexpr std::array<std::string_view, 4> host_level_names = {"never", "state", "alloc",
                                                                     "all"};

/// Such as `malloc, 5, 1000`.
std::string call_text(const HostCall& call);

}  // namespace vramlab::traces
