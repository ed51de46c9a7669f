// DeviceOverview: what a recording shows of one device without trying anything else: peaks, failed
// requests with the line of the first, the line that holds most, and how faithfully the history can
// be followed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "replay/call_sites/call_sites.h"
#include "replay/kinds/levers.h"
#include "replay/metrics/memory_curve.h"
#include "replay/metrics/metrics.h"
#include "replay/recording/fidelity.h"
#include "replay/recording/recording.h"
#include "replay/replayer/replayer.h"

namespace vramlab::replay {

/// The line of the program that a stack names, such as `train.py:12 step`; empty for a stack
/// without frames.
std::string line_of(traces::StackId stack, const traces::SnapshotTables& tables);

struct FoundFailure {
  std::uint64_t event = 0;
  /// A recording has the rounded size, a program the requested one.
  Bytes requested;
  traces::StackId stack;
  /// Such as `train.py:12 step`; empty if the history does not say.
  std::string place;
};

struct DeviceOverview {
  std::int64_t device = 0;
  std::uint64_t event_count = 0;
  MetricValues metrics;
  FidelityLabel label = FidelityLabel::exact;
  /// Sentences: why the history is not followed exactly.
  std::vector<std::string> reasons;
  /// Frees that waited for other streams.
  std::uint64_t waiting_frees = 0;
  std::uint64_t failures = 0;
  /// The first few of their events.
  std::vector<std::uint64_t> failed_events;
  std::optional<FoundFailure> first_failure;
  /// Call sites at the peak of allocated memory, the most bytes first.
  std::vector<HeldGroup> holders;
  /// The kinds of memory then, where the recording says them.
  std::vector<HeldGroup> kinds;
  std::vector<Lever> levers;
  /// The kinds of all blocks of the recording, which all its overviews share.
  std::shared_ptr<const RecordingKinds> recorded_kinds;
  Bytes allocated_at_peak;
  /// Memory over a replay.
  std::optional<MemoryCurve> curve;

  /// 0 if it is not known.
  Bytes metric(std::string_view name) const;
  /// The peak, or the end of a file without a history.
  Bytes reserved() const { return std::max(metric("peak_reserved"), metric("end_reserved")); }
  /// A history of one event tells nothing of what was requested.
  bool has_history() const { return event_count > 1; }
};

/// Such as `events 841 and 1003`, or `events 3, 8, 12, 20 and 5 more`. Requires: a request failed.
std::string failed_events_text(const DeviceOverview& overview);

/// How a history is followed: by the engine, which tells how faithful that is, or as quickly as the
/// file allows.
enum class FollowsHistory : std::uint8_t { with_engine, quickly };

/// Devices with events or memory, by number. A program is replayed as the file says; `replayer` may
/// be null for a history. Throws InputError.
std::vector<DeviceOverview> overviews_of(Recording& recording, const Replayer* replayer,
                                         FollowsHistory follows = FollowsHistory::with_engine);
/// The same in a replay, which does not tell the holders.
std::vector<DeviceOverview> replayed_overviews_of(const Recording& recording,
                                                  const Replayer& replayer,
                                                  const ReplayConditions& conditions);

/// The device that matters most: one with a failed request, then the one that reserves most. Null
/// without devices.
const DeviceOverview* worst_of(const std::vector<DeviceOverview>& overviews);
bool is_worse(const DeviceOverview& a, const DeviceOverview& b);

}  // namespace vramlab::replay
