// Frees that wait: their owner gave memory back while work on other streams might still use it.
// This file has how much memory they held for how long, and the releases that waited for them.
//
// In a history a free waits if its `free_requested` is not followed at once by a `free_completed`
// of the same address. Frees that waited already when the history began, or still wait when it
// ends, are found from completions without a request and from the final segments. A
// `free_completed` that is the very first entry is no sign of a wait: its request may have been the
// entry just before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "allocator/types/check.h"
#include "replay/metrics/memory_curve.h"
#include "replay/recording/recorded_calls.h"
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
  /// The stream that the block was requested on.
  StreamId stream;
  /// Empty if the memory was asked for, or freed, before the history began.
  std::optional<traces::StackId> alloc_stack;
  std::optional<traces::StackId> free_stack;
  WaitMoment began;
  /// Whether it waited before the first entry, and still waits after the last one.
  bool began_before = false;
  bool outlasts = false;
  WaitMoment ended;

  /// Whether the history has both ends of it.
  bool is_whole() const { return !began_before && !outlasts; }
};

/// Told of waiting frees as the history is followed.
class WaitingWatcher : public Interface {
 public:
  /// The end of the free is not known yet.
  virtual void wait_began(const WaitingFree&) {}
  virtual void wait_ended(const WaitingFree&) {}
  virtual void event_done(const WaitMoment&) {}
};

struct WalkCounts {
  /// Frees requested in the history that did not wait.
  std::uint64_t immediate_frees = 0;
  /// Waits that end without an entry: the address was handed out again, or the final segments have
  /// no waiting block there.
  std::uint64_t contradictions = 0;
};

/// Goes once through the history. Times don't go back: a recorded time that does counts as the one
/// before. Memory grows with live and waiting blocks only.
WalkCounts walk_waiting_frees(const DeviceHistory& history, WaitingWatcher& watcher);

/// Whether the file says when memory was given back; otherwise waits are unknown.
bool says_when_frees_were_requested(const DeviceHistory& history);

/// One call that released cached memory while frees waited.
struct WaitingRelease {
  /// The first entry of the call.
  std::size_t call_event = 0;
  /// Its first release; where it released everything, the first release of that.
  std::size_t event = 0;
  Bytes released;
  /// Waiting frees that were completed in the call before that release. Some of them may have been
  /// done without waiting.
  std::uint64_t completed = 0;
  Bytes completed_bytes;
  std::uint64_t still_waiting = 0;
  /// Whether it waited for the work: it released everything, and no free waited afterwards.
  bool synchronised = false;
  /// If it synchronised: the time until that release, from the first completed free, and from the
  /// entry before the call, which includes the time of the program. Empty if entries have no time.
  std::optional<std::uint64_t> shown_us;
  std::optional<std::uint64_t> at_most_us;
};

/// Finds releases of cached memory while frees waited. Before the allocator releases everything, it
/// waits for the work of waiting frees, and the program stands still; when it collects garbage or
/// releases just enough, it does not. Following the recording found out which releases were which.
class WaitingReleases : public WaitingWatcher {
 public:
  /// `emptied`: the first entries of releases of everything. All three must outlive this.
  WaitingReleases(const DeviceHistory& history, const RecordedCalls& calls,
                  const std::set<std::size_t>& emptied);

  void wait_began(const WaitingFree&) override { ++waiting_; }
  void wait_ended(const WaitingFree& free) override;
  void event_done(const WaitMoment& now) override;

  /// In order.
  std::vector<WaitingRelease> take() { return std::move(found_); }

 private:
  /// Begins the next call, after this entry.
  void begin_call(const std::optional<WaitMoment>& now);
  std::optional<std::size_t> release_in(const RecordedCall& call) const;
  void finish(const WaitMoment& now);

  const DeviceHistory& history_;
  const RecordedCalls& calls_;
  const std::set<std::size_t>& emptied_;
  /// The next call.
  std::size_t call_ = 0;
  std::uint64_t waiting_ = 0;
  /// The call that is under way, until its release.
  std::size_t call_end_ = 0;
  std::optional<WaitingRelease> current_;
  std::optional<WaitMoment> before_call_;
  std::optional<WaitMoment> first_completed_;
  std::vector<WaitingRelease> found_;
};

struct WaitingTotals {
  std::uint64_t count = 0;
  Bytes bytes;
  /// 0 if the entries have no time.
  ByteTime byte_time;
  /// Bytes times entries of the trace.
  std::uint64_t byte_events = 0;

  void add(const WaitingFree& free);
  void add(const WaitingTotals& other);
  friend bool operator==(const WaitingTotals&, const WaitingTotals&) = default;
};

/// Whether `a` costs more than `b`.
bool is_costlier(const WaitingTotals& a, const WaitingTotals& b);

/// The places of request and free; a place before the history began is empty.
struct WaitingSite {
  std::optional<traces::StackId> alloc_stack;
  std::optional<traces::StackId> free_stack;
  WaitingTotals totals;
};

struct WaitingStream {
  StreamId stream;
  WaitingTotals totals;
};

struct WaitSpread {
  std::uint64_t least = 0;
  /// The lower of the two in the middle if their number is even.
  std::uint64_t median = 0;
  std::uint64_t most = 0;
  friend bool operator==(const WaitSpread&, const WaitSpread&) = default;
};

/// The cost of waiting frees on one device: how much memory they held, for how long, on which
/// streams and from which places of the program. Bytes are as requested. Time is that of the
/// entries; where they have none, entries are counted instead.
struct WaitingCost {
  std::int64_t device = 0;
  std::uint64_t event_count = 0;
  /// The time from the first entry to the last; empty where entries have no time.
  std::optional<std::uint64_t> span_us;
  /// False where completed frees have no requests, so that waits are unknown.
  bool is_known = true;

  WalkCounts counts;
  WaitingTotals totals;
  /// The frees that wait when the history begins and ends.
  WaitingTotals at_beginning;
  WaitingTotals at_end;
  Bytes peak;
  WaitMoment peak_at;
  /// The spread of whole waits; empty if the history has none.
  std::optional<WaitSpread> wait_events;
  std::optional<WaitSpread> wait_us;
  /// Steps of time, or of entries where these have no time.
  std::vector<HeldStep> held;
  /// The costliest first.
  std::vector<WaitingSite> sites;
  std::vector<WaitingStream> streams;
  /// Blocks that wait in the final segments, as whole blocks.
  std::uint64_t final_blocks = 0;
  Bytes final_bytes;
};

inline constexpr std::uint32_t held_step_count = 60;

WaitingCost waiting_cost(const DeviceHistory& history);

}  // namespace vramlab::replay
