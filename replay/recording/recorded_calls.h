// The events of a history, cut into the calls that caused them: a free, a free that waits, a
// request with all that it set off, or a release of memory that no request asked for.
//
// Stacks tell the two kinds of releases apart: what a request releases has the request's stack.
// What a call such as empty_cache releases has that call's stack, or where stacks were recorded for
// allocations only, those of the blocks that were there before, or none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "replay/recording/device_room.h"

namespace vramlab::replay {

enum class RecordedCallKind : std::uint8_t {
  /// Freed and back at once.
  free,
  /// Freed; back in the pool later.
  free_later,
  /// Completed frees, releases, device calls, then `alloc` or `oom`.
  request,
  /// Completed frees and releases that no request follows.
  release,
};

/// How it is known that the releases in a request's events are the request's own.
enum class ReleaseOrigin : std::uint8_t { guessed, by_stacks };

struct RecordedCall {
  RecordedCallKind kind = RecordedCallKind::request;
  ReleaseOrigin origin = ReleaseOrigin::guessed;
  /// There was room for what a request got without the releases before it: it was not refused.
  bool had_room = false;
  /// The call's events: [first, end).
  std::size_t first = 0;
  std::size_t end = 0;
};

using RecordedCalls = traces::LongSequence<RecordedCall>;

/// `room`: of this history.
RecordedCalls cut_into_calls(const DeviceHistory& history, const DeviceRoom& room);

/// The one that the event belongs to, or the next one; nothing behind the last.
std::optional<RecordedCall> call_of(const RecordedCalls& calls, std::size_t event);

/// Such as `segment_alloc of 20.00 MiB at 0x7f0000000000`.
std::string event_text(const AllocatorEvent& event);

}  // namespace vramlab::replay
