// The least device memory on which a recording runs, exact to the granularity of device memory; and
// live bounds: the memory that no allocator does without, found without replaying.
//
// More memory does not always help: with more, less is released on the way, and the memory that
// then lies between live blocks may be of no use to a later request. So the search goes up from a
// size below which nothing runs. Each replay says on which larger sizes it would have gone the
// same: every question to the device answered the same, every comparison with a share of it or with
// the room in an expandable segment the same, and segments in the same order. These sizes are left
// out, and the next size above them is replayed.
#pragma once

#include <optional>
#include <vector>

#include "allocator/options/settings.h"
#include "replay/replayer/replayer.h"

namespace vramlab::replay {

/// The most memory that is live at a time, whatever the allocator does.
struct LiveBounds {
  /// Bytes as requested.
  Bytes requested;
  /// The same with each request rounded up by the settings: the least that its block takes.
  Bytes rounded;
  /// The least memory of the device: each stream's small and large blocks in whole multiples of its
  /// granularity, and at least the memory reserved at the start.
  Bytes on_device;
};

/// Whether requests that failed in the recorded run count as live for a moment.
enum class FailedRequests : std::uint8_t { counted, left_out };

/// Whether options that the program sets on its way hold. A replay under given options leaves them
/// out.
enum class OptionsOnTheWay : std::uint8_t { hold, left_out };

/// The memory that counts as live.
struct LiveCount {
  StartingMemory start = StartingMemory::as_recorded;
  FailedRequests failed = FailedRequests::counted;
  OptionsOnTheWay options = OptionsOnTheWay::hold;
};

/// The bounds of the device that needs most; empty if only a replay knows the live memory. Frees
/// that wait count as done. If options change on the way, sizes are rounded as little as possible.
std::optional<LiveBounds> live_bounds(const Replayer& recording, const Settings& settings,
                                      const LiveCount& count = {});

/// The step between the sizes of device memory that are looked at.
inline constexpr Bytes device_granule{2ULL << 20};

/// A half-open range of sizes.
struct SizeRange {
  Bytes from;
  Bytes below;
  friend bool operator==(const SizeRange&, const SizeRange&) = default;
};

struct CapacityAnswer {
  /// The least memory on which every request passes; empty if that is no size.
  std::optional<Bytes> least;
  /// The least memory on which the program gets to its end if requests may fail after which the
  /// recorded run went on; empty where there are none, or where it would take too long to find.
  std::optional<Bytes> least_as_it_went_on;
  /// Empty if only a replay knows the live memory.
  std::optional<LiveBounds> live;
  /// The peak on a device without a limit.
  Bytes peak_reserved;
  /// Larger sizes on which the recording fails, as separate ranges, ascending.
  std::vector<SizeRange> fails_above;
  /// The size up to which sizes above the least were looked at; empty where all were.
  std::optional<Bytes> looked_up_to;
  /// Whether sizes were left out because a replay said that they would change nothing.
  bool left_out_sizes = false;
  std::uint64_t replays = 0;
};

struct CapacityEffort {
  /// The most replays above the answer, which show whether more memory always helps.
  std::uint64_t replays_above = 1000;
  /// The number of events after which no more replays above the answer are made.
  std::uint64_t events_above = 250'000'000;
};

/// The memory in the conditions is ignored. Throws InputError.
CapacityAnswer find_capacity(const Replayer& recording, const ReplayConditions& conditions,
                             const CapacityEffort& effort);

}  // namespace vramlab::replay
