// LiveBounds: what a program cannot do without, whatever the allocator does: the most that is live
// at a time. Found without replaying.
#pragma once

#include <optional>

#include "allocator/options/settings.h"
#include "replay/replayer/recording.h"

namespace vramlab::replay {

struct LiveBounds {
  /// As it was asked for.
  Bytes requested;
  /// As the blocks are at least, by the rounding of the settings.
  Bytes rounded;
  /// As the device hands it out at least: each stream's small and large blocks in whole multiples
  /// of its granularity. With what was reserved at the start.
  Bytes on_device;
};

/// For the device that needs most. Empty if only a replay says what is live.
/// Frees that wait count as done. If the program changes its options rounding is the least there
/// is.
std::optional<LiveBounds> live_bounds(const Recording& recording, const Settings& settings);

/// The sizes of devices' memory are looked at in steps of this.
inline constexpr Bytes device_granule{2ULL << 20};

}  // namespace vramlab::replay
