// EventOrder: whether two recordings made the same events in the same order, each with its kind,
// its size, its stream and its block. Addresses and times are left out, as each run gets others
// from the driver.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "replay/recording/recorded_history.h"
#include "traces/model/snapshot_tables.h"

namespace vramlab::replay {

/// The devices of a recording that are compared.
struct ComparedDevices {
  std::vector<const DeviceHistory*> devices;
  const traces::SnapshotTables& tables;
};

struct EventDifference {
  std::int64_t device = 0;
  /// The same number in both files.
  std::uint64_t event = 0;
  /// Such as `alloc of 8.12 MiB at train.py:12 step`, or that the recording is over.
  std::string base;
  std::string now;
};

struct EventOrder {
  std::uint64_t base_events = 0;
  std::uint64_t now_events = 0;
  /// Empty if all are the same.
  std::optional<EventDifference> first_difference;
};

/// Empty if one of the files has no events.
std::optional<EventOrder> compare_events(const ComparedDevices& base, const ComparedDevices& now);

}  // namespace vramlab::replay
