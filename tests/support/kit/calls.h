// Short ways to write calls of a program by hand.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "traces/calls/call.h"

namespace vramlab::tests {

inline traces::Call call_of(traces::CallKind kind) {
  traces::Call call;
  call.kind = kind;
  return call;
}

inline traces::Call malloc_call(std::uint64_t id, allocator::Bytes bytes,
                                std::uint64_t stream = 0) {
  traces::Call call = call_of(traces::CallKind::malloc);
  call.id = id;
  call.bytes = bytes;
  call.stream = {stream};
  return call;
}

inline traces::Call free_call(std::uint64_t id) {
  traces::Call call = call_of(traces::CallKind::free);
  call.id = id;
  return call;
}

inline traces::Call record_stream_call(std::uint64_t id, std::uint64_t stream) {
  traces::Call call = call_of(traces::CallKind::record_stream);
  call.id = id;
  call.stream = {stream};
  return call;
}

/// end_pool, release_pool, destroy_pool, or empty_cache of one pool.
inline traces::Call pool_call(traces::CallKind kind, std::uint64_t pool) {
  traces::Call call = call_of(kind);
  call.pool = pool;
  return call;
}

inline traces::Call begin_pool_call(std::uint64_t pool,
                                    std::optional<std::uint64_t> stream = std::nullopt) {
  traces::Call call = pool_call(traces::CallKind::begin_pool, pool);
  if (!stream) return call;
  call.scope = traces::ScopeStreams::one_stream;
  call.stream = {*stream};
  return call;
}

inline traces::Call create_lending_pool_call(std::uint64_t pool) {
  traces::Call call = pool_call(traces::CallKind::create_pool, pool);
  call.use_on_oom = true;
  return call;
}

inline traces::Call checkpoint_call(std::uint64_t pool, std::string name) {
  traces::Call call = pool_call(traces::CallKind::checkpoint, pool);
  call.text = std::move(name);
  return call;
}

inline traces::Call external_call(allocator::Bytes bytes) {
  traces::Call call = call_of(traces::CallKind::external);
  call.bytes = bytes;
  return call;
}

}  // namespace vramlab::tests
