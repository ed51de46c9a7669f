// SweepRow: what one setting came to over one or more recordings, and which setting is better. The
// worst of several recordings, such as the ranks of a job, decides.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "replay/metrics/metrics.h"
#include "replay/replayer/replay_report.h"

namespace vramlab::replay {

/// The first request that failed.
struct FailedWhere {
  std::uint32_t device = 0;
  std::uint64_t event = 0;
  std::uint64_t requested_bytes = 0;
  friend bool operator==(const FailedWhere&, const FailedWhere&) = default;
};

/// For one recording.
struct SweepFigures {
  std::string file;
  MetricValues metrics;
  std::optional<FailedWhere> failed;
  friend bool operator==(const SweepFigures&, const SweepFigures&) = default;
};

/// One setting to be tried.
struct AskedSetting {
  std::string conf;
  /// The options as the file says them, rather than `conf`.
  bool is_recorded = false;
};

struct SweepRow {
  std::string conf;
  /// The options as each file says them, rather than `conf`.
  bool is_recorded = false;
  /// Why the version refuses the string; empty where it was run.
  std::string refusal;
  /// By recording, in the order in which they were given. None where it was refused.
  std::vector<SweepFigures> files;

  bool was_refused() const { return files.empty(); }
  /// Requires: it was run.
  const SweepFigures& worst() const;
};

SweepFigures figures_of(const std::string& file, const ReplayReport& report);

/// Calls that get memory or give it back: allocations, releases, units mapped and unmapped.
std::int64_t device_calls_of(const MetricValues& metrics);

/// 0 where it is not among them.
std::int64_t value_of(const MetricValues& metrics, std::string_view name);

/// Failing is worse than not; then the peak of reserved memory decides, then the number of device
/// calls, then their modelled time, then pinned host memory.
bool is_better(const SweepFigures& a, const SweepFigures& b);
/// By the worst recording of each. If two are the same the shorter string, which asks for
/// less; what was refused comes last.
bool is_better(const SweepRow& a, const SweepRow& b);

/// Best first.
void sort_rows(std::vector<SweepRow>& rows);

}  // namespace vramlab::replay
