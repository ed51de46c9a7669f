// What a program's rarer events are as calls of an allocator, whichever listeners it has.
#pragma once

#include <string_view>

#include "allocator/door/caching_allocator.h"
#include "allocator/words/allocator_error.h"
#include "replay/devices/stream_world.h"

namespace vramlab::replay {

template <class Allocator>
void begin_pool(Allocator& engine, const StreamWorld& streams, const traces::ProgramEvent& event) {
  using allocator::StreamId;
  switch (event.scope) {
    case traces::ScopeStreams::every_stream:
      return engine.begin_scope(event.pool, [](StreamId) { return true; });
    case traces::ScopeStreams::one_stream:
      return engine.begin_scope(event.pool,
                                [own = event.stream](StreamId asked) { return asked == own; });
    case traces::ScopeStreams::capturing_streams:
      return engine.begin_scope(event.pool,
                                [&streams](StreamId asked) { return streams.is_capturing(asked); });
  }
}

/// Requires: an event of the kinds about pools.
template <class Allocator>
void change_pool(Allocator& engine, const StreamWorld& streams, const traces::ProgramEvent& event) {
  using Kind = traces::ProgramEventKind;
  switch (event.kind) {
    case Kind::pool_create:
      return engine.create_pool(event.pool, {event.use_on_oom, event.no_split});
    case Kind::pool_begin:
      return begin_pool(engine, streams, event);
    case Kind::pool_end:
      return engine.end_scope(event.pool);
    case Kind::pool_release:
      return engine.release_pool(event.pool);
    default:
      return engine.destroy_pool(event.pool);
  }
}

/// Throws AllocatorError where the string is refused.
template <class Allocator>
void set_options(Allocator& engine, std::string_view text) {
  if (const auto error = engine.set_options(text))
    throw allocator::AllocatorError("the option string is refused: " + error->message);
}

}  // namespace vramlab::replay
