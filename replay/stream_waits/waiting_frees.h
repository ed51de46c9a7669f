// Frees that waited: memory that its owner had given back while work on other streams might still
// use it. In a history such a free is a `free_requested` that no `free_completed` of the same
// address follows at once. What waited already when the history began, or waits when it ends, is
// found from what completes without a request and from the final segments.
//
// A `free_completed` that is the very first entry is no sign of a wait: its request may have been
// the entry just before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "allocator/types/check.h"
#include "replay/recording/recorded_history.h"

namespace vramlab::replay {

struct WaitMoment {
  /// The entry of the device's trace.
  std::size_t event = 0;
  std::uint64_t time_us = 0;
  friend bool operator==(const WaitMoment&, const WaitMoment&) = default;
};

struct WaitingFree {
  Address address;
  /// As requested; the block is at most a little larger.
  Bytes bytes;
  /// The block's own.
  StreamId stream;
  /// Empty if the memory was asked for, or freed, before the history began.
  std::optional<traces::StackId> alloc_stack;
  std::optional<traces::StackId> free_stack;
  WaitMoment began;
  /// The first entry is not its beginning, the last one not its end.
  bool began_before = false;
  bool outlasts = false;
  WaitMoment ended;

  /// Neither end of it is cut off.
  bool is_whole() const { return !began_before && !outlasts; }
};

/// Hears of the frees as the history is walked through.
class WaitingWatcher : public Interface {
 public:
  /// Its end is not known yet.
  virtual void wait_began(const WaitingFree&) {}
  virtual void wait_ended(const WaitingFree&) {}
  virtual void event_done(const WaitMoment&) {}
};

struct WalkCounts {
  /// Frees requested in the history that did not wait.
  std::uint64_t immediate_frees = 0;
  /// Waits that end without a sign of it: the address was handed out again, or the final segments
  /// say that nothing waits there.
  std::uint64_t contradictions = 0;
};

/// Once through the history. Times don't go back: a recorded one that does counts as the one
/// before. Holds no more than what is live or waits.
WalkCounts walk_waiting_frees(const DeviceHistory& history, WaitingWatcher& watcher);

/// Whether the file says when memory was given back. If it does not, nothing of waiting is
/// known.
bool says_when_frees_were_requested(const DeviceHistory& history);

}  // namespace vramlab::replay
