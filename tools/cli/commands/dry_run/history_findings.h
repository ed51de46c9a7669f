// HistoryFindings: facts from the history of one process, found by following it: peaks, the line
// that holds most, an out-of-memory, and how faithful a replay of it is. Replays of the history add
// the smallest GPU on which it runs, and the setting to use.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "replay/metrics/metrics.h"
#include "replay/recording/fidelity.h"
#include "replay/replayer/replayer.h"
#include "streams/device/gpu_models.h"

namespace vramlab::tools {

struct FoundFailure {
  std::uint64_t event = 0;
  /// Rounded up, as the allocator asked for it.
  Bytes requested;
  /// Such as `train.py:12 step`; empty if the history does not say.
  std::string place;
};

struct DeviceFindings {
  std::int64_t device = 0;
  replay::MetricValues metrics;
  replay::FidelityLabel label = replay::FidelityLabel::exact;
  std::uint64_t failures = 0;
  std::optional<FoundFailure> first_failure;
  /// The call site that holds most at the peak of allocated memory; empty if nothing was allocated.
  std::string holder;
  Bytes held;
  Bytes allocated_at_peak;

  /// 0 if it is not known.
  Bytes metric(std::string_view name) const;
};

struct HistoryFindings {
  /// Devices with events or memory, by number.
  std::vector<DeviceFindings> devices;
  std::uint64_t event_count = 0;
  /// Null if nothing was recorded.
  std::shared_ptr<replay::Recording> recording;
  /// Replays the recording; null if it has no events.
  std::unique_ptr<replay::Replayer> replayer;

  bool ran_out_of_memory() const;
  /// Null without devices.
  const DeviceFindings* worst() const;
  /// All devices together.
  replay::MetricValues metrics() const;
};

/// `release` is the PyTorch that made the history; if it is empty, the history itself tells the
/// version of its rules. Throws InputError.
HistoryFindings find_in_history(const std::string& path, std::string_view release);

/// Longer histories are not replayed again and again in a summary.
inline constexpr std::uint64_t most_events_replayed = 1'000'000;

struct SmallestGpu {
  /// Null if no GPU of the table is large enough.
  const streams::GpuModel* gpu = nullptr;
};
/// The first GPU of the table, in order of memory, that runs the history. Empty if there is too
/// much to replay.
std::optional<SmallestGpu> smallest_gpu(const HistoryFindings& findings, Bytes held_by_others);

struct FoundAdvice {
  /// Empty: no options are best.
  std::string conf;
  Bytes peak_reserved;
  /// With the recorded options.
  Bytes recorded_peak_reserved;
  replay::Trust trust = replay::Trust::exact;
};
/// The best options without a limit of memory.
std::optional<FoundAdvice> find_advice(const HistoryFindings& findings);

}  // namespace vramlab::tools
