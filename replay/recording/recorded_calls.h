// The events of a history, cut into the calls that caused them: a free, a free that waits, a
// request with all that it set off, or a release of memory that no request asked for.
//
// Stacks tell the two kinds of releases apart. Memory that a request releases has the request's
// stack. Memory that a call such as empty_cache releases has that call's stack; where stacks were
// recorded for allocations only, it has those of the blocks that were there before, or none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "replay/recording/history_checks.h"

namespace vramlab::replay {

enum class RecordedCallKind : std::uint8_t {
  /// Freed and back at once.
  free,
  /// Freed; back in the pool later.
  free_later,
  /// Completed frees, releases and device calls, then `alloc` or `oom`.
  request,
  /// Completed frees and releases that no request follows.
  release,
};

/// How it is known that the releases in a request's events are the request's own.
enum class ReleaseOrigin : std::uint8_t { guessed, by_stacks };

struct RecordedCall {
  RecordedCallKind kind = RecordedCallKind::request;
  ReleaseOrigin origin = ReleaseOrigin::guessed;
  /// There was room for what a request got without the releases before it, also by the memory
  /// fraction if one is noted: it was not refused.
  bool had_room = false;
  /// There are calls of the device for segments among its events.
  bool has_segment_calls = false;
  /// The call's events: [first, end).
  std::size_t first = 0;
  std::size_t end = 0;
};

using RecordedCalls = traces::LongSequence<RecordedCall>;

/// `room`: of this history.
RecordedCalls cut_into_calls(const DeviceHistory& history, const DeviceRoom& room);

/// The call that the event belongs to, or the next one; empty behind the last.
std::optional<RecordedCall> call_of(const RecordedCalls& calls, std::size_t event);

/// Such as `segment_alloc of 20.00 MiB at 0x7f0000000000`.
std::string event_text(const AllocatorEvent& event);

/// The first events of the calls before which a program's rhythm of emptying its cache misses an
/// empty_cache; none if there is no rhythm. Where nothing is cached, a call of empty_cache leaves
/// no entry in a recording, but under other options it may release something. A program that
/// empties its cache each time after the same number of requests and frees did so at those calls,
/// too. Whether nothing was cached then is for others to see. `emptied`: an event of each emptied
/// cache, ascending.
std::vector<std::size_t> missing_in_rhythm(const RecordedCalls& calls,
                                           const std::vector<std::size_t>& emptied);

}  // namespace vramlab::replay
