// OutOfMemoryReason: why a request failed, from the state right after it failed: by then everything
// was released that could be. Figures only. Whether more memory or other settings would have helped
// is found by replays (settings_search/out_of_memory_tries.h).
#pragma once

#include <optional>
#include <vector>

#include "replay/metrics/device_state.h"
#include "replay/metrics/fragmentation.h"

namespace vramlab::replay {

/// The facts known about the request.
struct RefusedRequest {
  std::uint64_t event = 0;
  /// The size before rounding; empty in a recording, which says the rounded size only.
  std::optional<Bytes> request;
  Bytes rounded;
  StreamId stream;
  PoolId pool;
  /// The memory that the device still had; empty where it is unknown.
  std::optional<Bytes> device_free;
};

struct OutOfMemoryReason {
  RefusedRequest refused;
  LaneName lane;
  /// The size that had to be requested from the device.
  Bytes device_size;
  /// The lane that the request goes to.
  StateFigures in_lane;
  // Free memory that the request could not have:
  Bytes free_on_other_streams;
  Bytes free_in_other_half;
  Bytes free_in_other_pools;
  /// Holes large enough, but not split for a request of this size.
  Bytes kept_by_split_limit;
  /// In expandable segments, while the option is off.
  Bytes passed_over;
  /// A hole of the lane would have served the request, so it went to another pool, which the
  /// history does not name.
  bool is_of_unknown_pool = false;

  /// The share of the device that may be held, where one is known.
  std::optional<Bytes> allowed;
  /// The device had enough memory, so only a share of it must have been allowed. Recordings don't
  /// say which share.
  bool is_limited_by_unknown_share = false;
  /// The addresses that an option lets an expandable segment reserve, where the request needs more:
  /// then no memory was short.
  std::optional<Bytes> exceeded_reserve;
  /// How much more memory would have been enough, by calculation; empty where it is unknown.
  std::optional<Bytes> shortfall;
  /// Live blocks whose release would have been enough; each alone keeps its memory from being
  /// released. Empty where the state has no such blocks.
  std::vector<Pinner> enough_to_free;
};

/// The request that a recorded state ends with; empty unless its last event is a failed request.
std::optional<RefusedRequest> refused_by(const DeviceState& state);

OutOfMemoryReason explain_out_of_memory(const DeviceState& state, const RefusedRequest& refused);

}  // namespace vramlab::replay
