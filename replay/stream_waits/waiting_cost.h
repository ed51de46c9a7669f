// WaitingCost: what the frees that waited cost on one device: how much memory they held, for how
// long, on which streams and from which places of the program. Bytes are as requested. Time is that
// of the entries; where they have none, entries are counted instead.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "replay/metrics/held_curve.h"
#include "replay/metrics/peak.h"
#include "replay/stream_waits/waiting_frees.h"

namespace vramlab::replay {

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

/// Whether a costs more than b.
bool is_costlier(const WaitingTotals& a, const WaitingTotals& b);

/// The places of request and free; empty if that was before the history began.
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
  /// The lower one of the two in the middle if their number is even.
  std::uint64_t median = 0;
  std::uint64_t most = 0;
  friend bool operator==(const WaitSpread&, const WaitSpread&) = default;
};

struct WaitingCost {
  std::int64_t device = 0;
  std::uint64_t event_count = 0;
  /// From the first entry to the last; nothing where entries have no time.
  std::optional<std::uint64_t> span_us;
  /// False: the history has frees and no requests for them, so waits can't be told.
  bool is_known = true;

  WalkCounts counts;
  WaitingTotals totals;
  /// When the history begins and ends.
  WaitingTotals at_beginning;
  WaitingTotals at_end;
  Bytes peak;
  WaitMoment peak_at;
  /// Whole waits only; empty if there are none.
  std::optional<WaitSpread> wait_events;
  std::optional<WaitSpread> wait_us;
  /// By time, or by entries where they have none.
  std::vector<HeldStep> held;
  /// The costliest first.
  std::vector<WaitingSite> sites;
  std::vector<WaitingStream> streams;
  /// What the final segments show as waiting; whole blocks.
  std::uint64_t final_blocks = 0;
  Bytes final_bytes;
};

inline constexpr std::uint32_t held_step_count = 60;

/// Adds itself up while it is told of a walk over this history.
class WaitingSum : public WaitingWatcher {
 public:
  /// The history must outlive it.
  explicit WaitingSum(const DeviceHistory& history);

  void wait_began(const WaitingFree& free) override;
  void wait_ended(const WaitingFree& free) override;

  WaitingCost take(const WalkCounts& counts);

 private:
  void note_level(const WaitMoment& now);

  using Places = std::pair<std::optional<traces::StackId>, std::optional<traces::StackId>>;

  const DeviceHistory& history_;
  WaitingCost cost_;
  bool counts_events_ = false;
  HeldCurve curve_;
  Peak held_;
  std::map<Places, WaitingTotals> by_place_;
  std::map<StreamId, WaitingTotals> by_stream_;
  /// How many waits took so long; of whole ones.
  std::map<std::uint64_t, std::uint64_t> by_events_;
  std::map<std::uint64_t, std::uint64_t> by_us_;
};

WaitingCost waiting_cost(const DeviceHistory& history);

}  // namespace vramlab::replay
