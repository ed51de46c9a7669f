// RecordedWaiting: all that a recording tells of the cost of waiting: what the frees that waited
// held, which releases waited for them, and what the program would have needed without.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "replay/replayer/replayer.h"
#include "replay/stream_waits/waiting_frees.h"
#include "traces/model/snapshot_tables.h"

namespace vramlab::replay {

// The memory that a recorded program would have needed if no free had waited: the same requests and
// frees, replayed twice under the recorded conditions, with frees as recorded and with frees that
// complete at once. The first of them stands beside the recording's own figures and shows how far
// the second can be trusted.

struct PeakFigures {
  Bytes allocated;
  /// With what waits to be free.
  Bytes active;
  Bytes requested;
  Bytes reserved;
  std::uint64_t failed_requests = 0;
};

struct EagerFrees {
  std::int64_t device = 0;
  /// How following the recording went.
  FidelityLabel followed = FidelityLabel::exact;
  /// The recording's own figures.
  Bytes recorded_requested;
  Bytes recorded_reserved;
  PeakFigures as_recorded;
  PeakFigures eager;

  /// The recording was followed exactly, and replayed as it was it reaches its peaks to the byte.
  bool is_exact() const;
};

struct EagerReplay {
  std::vector<EagerFrees> devices;
  /// Assumptions of the replays.
  std::vector<std::string> notes;
};

/// Goes on after an out-of-memory. Throws InputError as a replay does.
EagerReplay replay_eagerly(const Replayer& replayer);

/// Sites that look the same to a reader, as texts; empty where the file does not say.
struct WaitingPlace {
  std::string allocated_at;
  std::string freed_at;
  /// Some of it, at least, was asked for before the history began.
  bool is_older = false;
  WaitingTotals totals;
};

struct DeviceWaiting {
  WaitingCost cost;
  /// The costliest first.
  std::vector<WaitingPlace> places;
  std::vector<WaitingRelease> releases;
  /// Empty if no free waited, or the history can't be replayed.
  std::optional<EagerFrees> eager;
};

struct RecordedWaiting {
  std::vector<DeviceWaiting> devices;
  std::string reference;
  /// Sentences: what the replay had to assume.
  std::vector<std::string> notes;
  /// Why there is no replay where frees waited; empty where there is one.
  std::string obstacle;
};

RecordedWaiting find_waiting(Recording& recording);

/// By the innermost frames of the user's own code.
std::vector<WaitingPlace> places_of(const std::vector<WaitingSite>& sites,
                                    const traces::SnapshotTables& tables);

}  // namespace vramlab::replay
