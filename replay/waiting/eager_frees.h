// What memory a recorded program would have needed if no free had waited: the same requests and
// frees, replayed twice under the recorded conditions, with frees as recorded and with frees that
// complete at once. The first of them stands beside the recording's own figures and shows how far
// the second can be trusted.
#pragma once

#include <string>
#include <vector>

#include "replay/run/recording.h"

namespace vramlab::replay {

struct PeakFigures {
  allocator::Bytes allocated;
  /// With what waits to be free.
  allocator::Bytes active;
  allocator::Bytes requested;
  allocator::Bytes reserved;
  std::uint64_t failed_requests = 0;
};

struct EagerFrees {
  std::int64_t device = 0;
  /// How following the recording went.
  FidelityLabel followed = FidelityLabel::exact;
  /// What the recording itself says.
  allocator::Bytes recorded_requested;
  allocator::Bytes recorded_reserved;
  PeakFigures as_recorded;
  PeakFigures eager;

  /// The recording was followed exactly, and replayed as it was it reaches its peaks to the byte.
  bool is_exact() const;
};

struct EagerReplay {
  std::vector<EagerFrees> devices;
  /// What the replays had to assume.
  std::vector<std::string> notes;
};

/// Goes on after an out-of-memory. Throws InputError as a replay does.
EagerReplay replay_eagerly(const Recording& recording);

}  // namespace vramlab::replay
