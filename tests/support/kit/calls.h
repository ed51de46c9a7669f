// Short ways to write calls of a program by hand.
#pragma once

#include <optional>

#include "traces/model/program_event.h"

namespace vramlab::tests {

inline traces::ProgramEvent call_of(traces::ProgramEventKind kind) {
  traces::ProgramEvent call;
  call.kind = kind;
  return call;
}

inline traces::ProgramEvent malloc_call(std::uint64_t id, allocator::Bytes bytes,
                                        std::uint64_t stream = 0) {
  traces::ProgramEvent call = call_of(traces::ProgramEventKind::malloc);
  call.id = id;
  call.bytes = bytes;
  call.stream = {stream};
  return call;
}

inline traces::ProgramEvent free_call(std::uint64_t id) {
  traces::ProgramEvent call = call_of(traces::ProgramEventKind::free);
  call.id = id;
  return call;
}

inline traces::ProgramEvent record_stream_call(std::uint64_t id, std::uint64_t stream) {
  traces::ProgramEvent call = call_of(traces::ProgramEventKind::use);
  call.id = id;
  call.stream = {stream};
  return call;
}

/// end_pool, release_pool, destroy_pool, or empty_cache of one pool.
inline traces::ProgramEvent pool_call(traces::ProgramEventKind kind, std::uint64_t pool) {
  traces::ProgramEvent call = call_of(kind);
  call.pool = {0, pool};
  return call;
}

inline traces::ProgramEvent begin_pool_call(std::uint64_t pool,
                                            std::optional<std::uint64_t> stream = std::nullopt) {
  traces::ProgramEvent call = pool_call(traces::ProgramEventKind::pool_begin, pool);
  if (!stream) return call;
  call.scope = traces::ScopeStreams::one_stream;
  call.stream = {*stream};
  return call;
}

inline traces::ProgramEvent create_lending_pool_call(std::uint64_t pool) {
  traces::ProgramEvent call = pool_call(traces::ProgramEventKind::pool_create, pool);
  call.use_on_oom = true;
  return call;
}

/// The name is the first of the program's texts.
inline traces::ProgramEvent checkpoint_call(std::uint64_t pool) {
  traces::ProgramEvent call = pool_call(traces::ProgramEventKind::checkpoint, pool);
  call.text = traces::TextId(0);
  return call;
}

inline traces::ProgramEvent external_call(allocator::Bytes bytes) {
  traces::ProgramEvent call = call_of(traces::ProgramEventKind::external);
  call.bytes = bytes;
  return call;
}

}  // namespace vramlab::tests
