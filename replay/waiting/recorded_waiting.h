// RecordedWaiting: all that a recording tells of the cost of waiting: what the frees that waited
// held, which releases waited for them, and what the program would have needed without.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "replay/waiting/eager_frees.h"
#include "replay/waiting/waiting_cost.h"
#include "replay/waiting/waiting_releases.h"
#include "traces/values/snapshot_tables.h"

namespace vramlab::replay {

/// Sites that look the same to a reader, as texts; empty where the file does not say.
struct WaitingPlace {
  std::string allocated_at;
  std::string freed_at;
  /// Of some of it, at least: asked for before the history began.
  bool is_older = false;
  WaitingTotals totals;
};

struct DeviceWaiting {
  WaitingCost cost;
  /// The costliest first.
  std::vector<WaitingPlace> places;
  std::vector<WaitingRelease> releases;
  /// Nothing where no free waited, and where the history can't be replayed.
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

/// `file` is for messages; `version`: null to guess it.
RecordedWaiting find_waiting(const std::string& file, const RecordedHistory& history,
                             const traces::SnapshotTables& tables,
                             const allocator::ReferenceVersion* version);

/// By the innermost frames of the user's own code.
std::vector<WaitingPlace> places_of(const std::vector<WaitingSite>& sites,
                                    const traces::SnapshotTables& tables);

}  // namespace vramlab::replay
