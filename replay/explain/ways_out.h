// WaysOut: the smallest GPU that would have been enough, the best setting without a limit of
// memory, and the peaks that other addresses of segments give, all found by replaying.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "replay/replayer/replayer.h"
#include "replay/settings_search/advise.h"
#include "replay/settings_search/out_of_memory_tries.h"
#include "streams/device/gpu_models.h"

namespace vramlab::replay {

/// Replays each setting on one recording, in parallel where that is possible.
using SettingsRunner =
    std::function<std::vector<SweepRow>(const Replayer& replayer, const std::vector<AskedSetting>&,
                                        const ReplayConditions& conditions)>;

/// Limits of the work: longer histories are not replayed again and again.
struct ReplayEffort {
  std::uint64_t most_events = 1'000'000;
  traces::ScratchPlace scratch = {};

  /// A search for the best setting replays some forty of them.
  std::uint64_t most_for_advice() const { return most_events / 8; }
};

/// The environment variable that takes the options: the versions that read them in three passes
/// name it for all kinds of devices.
std::string_view options_variable_of(const ReferenceVersion& version);

/// Events of all devices that a replay goes through.
std::uint64_t event_count_of(const Replayer& replayer);

struct GpuQuestion {
  /// The memory in them is ignored.
  ReplayConditions conditions = {};
  /// The request that must pass; without it, all requests must.
  std::optional<FailedAt> request = {};
  /// Memory below which no GPU is enough, whatever the allocator does.
  Bytes least = {};
};

struct SmallestGpu {
  /// Null if no GPU of the table is large enough.
  const streams::GpuModel* gpu = nullptr;
  /// GPUs of the table with more memory.
  std::size_t larger_count = 0;
  /// No request of the history fails there.
  bool runs_through = false;
  /// A smaller GPU that has the memory, and on which no kernel of the program runs; null without.
  const streams::GpuModel* without_code = nullptr;
};

/// The first GPU of the table, in order of memory, that is enough. Empty if there is too much to
/// replay.
std::optional<SmallestGpu> smallest_gpu(const Replayer& replayer, const GpuQuestion& question,
                                        const ReplayEffort& effort);

/// The peaks of reserved memory of one device, wherever the driver puts segments.
struct ReservedRange {
  Bytes least;
  Bytes most;
};

/// Found by replays with segments in each order; `recorded` is in it. Empty if there is too much to
/// replay.
std::optional<ReservedRange> reserved_range(const Replayer& replayer, std::int64_t device,
                                            Bytes recorded, const ReplayEffort& effort);

struct FoundAdvice {
  /// Empty: no options are best.
  std::string conf;
  Bytes peak_reserved;
  /// With the recorded options.
  Bytes recorded_peak_reserved;
  Trust trust = Trust::exact;

  Bytes saved() const {
    return recorded_peak_reserved - std::min(recorded_peak_reserved, peak_reserved);
  }
};

/// The best options without a limit of memory, compared with the asked ones, otherwise with the
/// recorded ones. Empty if there is too much to replay.
std::optional<FoundAdvice> find_advice(const Replayer& replayer, const ReplayConditions& asked,
                                       const SettingsRunner& run, const ReplayEffort& effort);

}  // namespace vramlab::replay
