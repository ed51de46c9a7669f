// Call: one thing a program does to the allocator, its streams or its device, decoded. Recorded
// cases, random programs and workloads are lists of calls.
#pragma once

#include <cstdint>
#include <string>

#include "allocator/words/ids.h"

namespace vramlab::traces {

enum class CallKind : std::uint8_t {
  malloc,                   // id, bytes, stream
  free,                     // id
  record_stream,            // id, stream
  work,                     // stream
  complete,                 // stream
  external,                 // bytes
  empty_cache,              // pool (0: the default id)
  snapshot,                 //
  reset_peak_stats,         //
  reset_accumulated_stats,  //
  set_config,               // text
  set_fraction,             // fraction
  begin_pool,               // pool, scope (and stream where the scope is of one stream)
  end_pool,                 // pool
  release_pool,             // pool
  create_pool,              // pool, use_on_oom, no_split
  destroy_pool,             // pool
  checkpoint,               // pool, text (its name)
  restore,                  // text (its name), id (the first one to give out)
  capture_begin,            // stream
  capture_end,              // stream
  wait,                     // stream waits for waited_stream
};

/// Which streams a capture scope accepts.
enum class ScopeStreams : std::uint8_t { every_stream, one_stream, capturing_streams };

struct Call {
  CallKind kind = CallKind::snapshot;
  ScopeStreams scope = ScopeStreams::every_stream;
  bool use_on_oom = false;
  bool no_split = false;
  /// Names the result of a malloc from then on.
  std::uint64_t id = 0;
  allocator::Bytes bytes{};
  allocator::StreamId stream{};
  allocator::StreamId waited_stream{};
  /// The second half of the pool id; the first is 0.
  std::uint64_t pool = 0;
  double fraction = 0;
  std::string text{};
};

}  // namespace vramlab::traces
