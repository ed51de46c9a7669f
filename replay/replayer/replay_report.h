// ReplayReport: what a replay came to, as a value. Printing it is for others.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "allocator/types/answers.h"
#include "allocator/types/snapshot.h"
#include "replay/metrics/memory_curve.h"
#include "replay/metrics/metrics.h"
#include "replay/replayer/pinned_replay.h"
#include "replay/replayer/recorded_course.h"
#include "streams/device/device_costs.h"
#include "streams/device/memory_device.h"
#include "streams/ordered_pool/ordered_pool.h"
#include "traces/model/snapshot_values.h"

namespace vramlab::streams {
class PlacedRanges;
}

namespace vramlab::replay {

struct FailedRequest {
  std::uint64_t event = 0;
  std::optional<std::uint64_t> time_ns;
  StreamId stream;
  OutOfMemory figures;
  /// The place in the program, where the replay knows it.
  traces::StackId stack = {};
};

struct DeviceReport {
  traces::DeviceIndex device;
  Bytes memory;
  /// The origin of the size, such as `--device-memory`; empty if nothing limits it.
  std::string memory_origin;
  /// By other processes all the time; nothing where that is left to the file.
  std::optional<Bytes> held_by_others;
  std::uint64_t requests = 0;
  std::uint64_t frees = 0;
  ReachedPeak peak_allocated;
  ReachedPeak peak_reserved;
  MemoryCurve curve;
  /// The times of the first and the last event that has one, in the clock of the peaks.
  std::optional<std::uint64_t> begin_ns;
  std::optional<std::uint64_t> end_ns;
  StatisticValues statistics;
  /// The reserved bytes of each private pool that had memory.
  std::map<PoolId, allocator::PooledStatistic> reserved_by_private_pools;
  streams::DeviceCallCounts device_calls;
  streams::DeviceCallTally device_call_tally;
  /// Modelled, by the costs that the replay was given.
  std::uint64_t device_time_ns = 0;
  /// On devices up to this size the allocator would have decided the same, as long as its segments
  /// lie in the same order.
  Bytes same_below;
  /// The segments' places, if they were asked for.
  std::shared_ptr<const streams::PlacedRanges> places;
  /// When the most was first reserved; nothing where that is not known.
  std::optional<Bytes> stranded_at_peak = Bytes{};
  /// All of them, in order.
  std::vector<FailedRequest> failures;
  /// The first request that failed in the recorded run and passes here. What follows is replayed
  /// as recorded, and depends on what the program does.
  std::optional<std::uint64_t> depends_from;
  /// The origin of a stream-ordered pool's memory, if there is such a pool.
  std::optional<streams::OrderedPoolCounts> pool;
  /// The peak of the recording itself, if the file is one and tells it.
  std::optional<Bytes> recorded_peak_requested;
  std::optional<Bytes> recorded_peak_reserved;
  std::optional<RecordedCounts> recorded_counts;

  /// As a recording counts.
  RecordedCounts counts() const;
};

struct ReplayReport {
  std::string reference;
  std::string options;
  std::vector<DeviceReport> devices;
  /// The report on its pinned host memory, if the program has events about it.
  std::optional<HostReport> host;
  /// Calls of the allocator: the events of a program. The calls of a recording have several events
  /// each.
  std::uint64_t calls = 0;
  /// The first event's that has a time.
  std::optional<std::uint64_t> first_time_ns;
  /// The event at which an out-of-memory ended it.
  std::optional<std::uint64_t> stopped_at;
  /// Sentences: what was assumed, and what that means.
  std::vector<std::string> notes;

  bool has_failures() const;
};

/// About a share of a device whose memory nobody knows; empty if that was not asked for.
std::optional<std::string> empty_fraction_note(const DeviceReport& device,
                                               const std::optional<double>& memory_fraction);

// The results of a replay, as metrics.

MetricValues run_metrics(const DeviceReport& device);
/// All devices together: sums, also of peaks, as each device has memory of its own.
MetricValues run_metrics(const ReplayReport& report);

}  // namespace vramlab::replay
