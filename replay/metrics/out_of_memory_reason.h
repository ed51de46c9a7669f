// OutOfMemoryReason: why a request failed, from the state right after it failed: by then everything
// was released that could be. Values only; what another memory or other settings would have done is
// found by out_of_memory_tries.
#pragma once

#include <optional>
#include <vector>

#include "replay/metrics/device_state.h"
#include "replay/metrics/pinners.h"

namespace vramlab::replay {

/// What is known of the request.
struct RefusedRequest {
  std::uint64_t event = 0;
  /// As it was asked for; a recording says the rounded size only.
  std::optional<Bytes> request;
  Bytes rounded;
  StreamId stream;
  PoolId pool;
  /// What the device still gave; nothing where nobody knows.
  std::optional<Bytes> device_free;
};

struct OutOfMemoryReason {
  RefusedRequest refused;
  LaneName lane;
  /// What had to be asked of the device.
  Bytes device_size;
  /// The lane that the request goes to.
  StateFigures in_lane;
  // Free memory that the request could not have:
  Bytes free_on_other_streams;
  Bytes free_in_other_half;
  Bytes free_in_other_pools;
  /// Large enough, but not cut up for a smaller request, or too large for a larger one.
  Bytes kept_by_split_limit;
  /// In expandable segments, while the option is off.
  Bytes passed_over;

  /// The share of the device that may be held, where one is known.
  std::optional<Bytes> allowed;
  /// The device had enough, so a share of it must have been all that was allowed. Recordings don't
  /// say which.
  bool is_limited_by_unknown_share = false;
  /// How much more would have been enough, by calculation; nothing where nobody knows.
  std::optional<Bytes> shortfall;
  /// Live blocks whose release would have been enough, each alone in what it keeps; empty where no
  /// such blocks are.
  std::vector<Pinner> enough_to_free;
};

/// Empty unless the state's last event is a request that failed. For a recording.
std::optional<RefusedRequest> refused_by(const DeviceState& state);

OutOfMemoryReason explain_out_of_memory(const DeviceState& state, const RefusedRequest& refused);

}  // namespace vramlab::replay
