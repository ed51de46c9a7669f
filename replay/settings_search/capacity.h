// The least device memory on which a recording runs, exact to the granularity of device memory.
//
// More memory does not always help: with more, less is released on the way, and what then lies
// between live blocks may be of no use to a later request. So the search goes up from a size below
// which nothing runs. Each replay says on which larger sizes all would have gone the same: every
// question to the device answered the same, every comparison with a share of it or with the room in
// an expandable segment the same, and segments in the same order. These are left out, and the next
// size above them is replayed.
#pragma once

#include <optional>
#include <vector>

#include "replay/replayer/recording.h"
#include "replay/settings_search/live_bounds.h"

namespace vramlab::replay {

/// Sizes from one up to, and not including, another.
struct SizeRange {
  Bytes from;
  Bytes below;
  friend bool operator==(const SizeRange&, const SizeRange&) = default;
};

struct CapacityAnswer {
  /// Empty if it does not run on any.
  std::optional<Bytes> least;
  /// Empty if only a replay says what is live.
  std::optional<LiveBounds> live;
  /// Without a limit.
  Bytes peak_reserved;
  /// Larger sizes on which it fails, apart from each other, ascending.
  std::vector<SizeRange> fails_above;
  /// Sizes above the least were looked at up to here, or all of them.
  std::optional<Bytes> looked_up_to;
  /// Sizes were left out where a replay said that nothing would change.
  bool left_out_sizes = false;
  std::uint64_t replays = 0;
};

struct CapacityEffort {
  /// Replays above the answer, to see whether more memory always helps.
  std::uint64_t replays_above = 1000;
  /// And no more of them once they went through so many events.
  std::uint64_t events_above = 250'000'000;
};

/// The conditions' own memory is of no meaning. Throws InputError.
CapacityAnswer find_capacity(const Recording& recording, const ReplayConditions& conditions,
                             const CapacityEffort& effort);

}  // namespace vramlab::replay
