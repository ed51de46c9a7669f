// What a program's event does to an allocator's pools, and to a device that the program drives.
#pragma once

#include "allocator/types/bytes_and_ids.h"
#include "streams/device/memory_device.h"
#include "traces/model/program_event.h"

namespace vramlab::replay {

/// The streams that the scope of a `pool_begin` accepts.
StreamFilter scope_filter(const traces::ProgramEvent& event, StreamFilter is_capturing);

/// Whoever begins or ends a capture does so on the stream that is current there.
constexpr bool begins_or_ends_capture(traces::ProgramEventKind kind) {
  return kind == traces::ProgramEventKind::capture_begin ||
         kind == traces::ProgramEventKind::capture_end;
}

/// False where the event is not about pools or their caches.
template <class Allocator, class IsCapturing>
bool apply_to_pools(Allocator& allocator, const traces::ProgramEvent& event,
                    const IsCapturing& is_capturing) {
  using Kind = traces::ProgramEventKind;
  switch (event.kind) {
    case Kind::pool_create:
      allocator.create_pool(event.pool, {event.use_on_oom, event.no_split});
      return true;
    case Kind::pool_begin:
      allocator.begin_scope(event.pool, scope_filter(event, is_capturing));
      return true;
    case Kind::pool_end:
      allocator.end_scope(event.pool);
      return true;
    case Kind::pool_release:
      allocator.release_pool(event.pool);
      return true;
    case Kind::pool_destroy:
      allocator.destroy_pool(event.pool);
      return true;
    case Kind::empty_cache:
      allocator.empty_cache(event.pool);
      return true;
    default:
      return false;
  }
}

/// What the event says of work, streams and captures; other kinds change nothing, and neither does
/// what needs time or knows of events. Throws AllocatorError where a capture cannot begin or end.
void drive(streams::DrivenDevice& device, const traces::ProgramEvent& event);

}  // namespace vramlab::replay
