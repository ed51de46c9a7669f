// A sweep: the settings that it tries, and the result of each (docs/guide/sweep.md). Settings come
// from a grid: alternatives for some options, of which every combination is one option string.
//
//   max_split_size_mb=64|128|none expandable_segments=True|False
//
// Blanks separate options, `|` separates values; commas and brackets belong to values. `none`
// leaves the option out. The replays themselves are made by the caller.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allocator/types/reference_version.h"
#include "replay/metrics/metrics.h"
#include "replay/replayer/replay_conditions.h"
#include "replay/replayer/replay_report.h"

namespace vramlab::replay {

struct GridOption {
  std::string name;
  /// The value `none` leaves the option out.
  std::vector<std::string> values;
};
using OptionGrid = std::vector<GridOption>;

inline constexpr std::string_view left_out_value = "none";
/// The most combinations of a grid.
inline constexpr std::size_t most_settings = 1'000'000;

/// Whether a word of the command line is part of a grid: it begins with a name and `=`.
bool is_grid_word(std::string_view text);

/// `where` is for messages. Throws InputError for an option that this version does not know, and
/// names the nearest known one.
OptionGrid parse_grid(std::string_view text, const ReferenceVersion& version,
                      const std::string& where);

/// All combinations, as option strings; the last option changes fastest. Throws InputError for too
/// many.
std::vector<std::string> settings_of_grid(const OptionGrid& grid);

/// The option strings of a file: on each line a grid, or an option string as it is; `none` is the
/// empty one, `#` begins a comment. Throws InputError.
std::vector<std::string> read_grid_file(const std::string& path, const ReferenceVersion& version);

/// The first request that failed.
struct FailedWhere {
  std::uint32_t device = 0;
  std::uint64_t event = 0;
  std::uint64_t requested_bytes = 0;
  friend bool operator==(const FailedWhere&, const FailedWhere&) = default;
};

/// The figures of one setting on one recording.
struct SweepFigures {
  std::string file;
  MetricValues metrics;
  std::optional<FailedWhere> failed;
  /// The event whose failure ended the replay.
  std::optional<std::uint64_t> stopped_at = {};
  /// As in a DeviceReport.
  std::optional<std::uint64_t> depends_from = {};
  /// False where all the memory was reserved before the recording began: no setting changes it.
  bool can_be_judged = true;
  friend bool operator==(const SweepFigures&, const SweepFigures&) = default;
};

/// One setting to be tried.
struct AskedSetting {
  std::string conf;
  /// The options as the file says them, rather than `conf`.
  bool is_recorded = false;
  /// Set while the program runs.
  std::vector<OptionsChange> changes = {};
};

/// The result of one setting over one or more recordings. The worst recording decides, such as one
/// rank of a job, among those that can be judged if there are any.
struct SweepRow {
  std::string conf;
  /// The options as each file says them, rather than `conf`.
  bool is_recorded = false;
  /// Why the version refuses the string; empty where it was run.
  std::string refusal;
  /// One for each recording, in the order given; none where the setting was refused.
  std::vector<SweepFigures> files;

  bool was_refused() const { return files.empty(); }
  /// Requires: the setting was not refused.
  const SweepFigures& worst() const;
};

SweepFigures figures_of(const std::string& file, const ReplayReport& report);

/// The number of calls that get memory or give it back: allocations, releases, units mapped and
/// unmapped.
std::int64_t device_calls_of(const MetricValues& metrics);

/// 0 where the metrics have no such name.
std::int64_t value_of(const MetricValues& metrics, std::string_view name);

/// A setting that fails is worse, and worst where the program does not go on after it; then the
/// peak of reserved memory decides, then the number of device calls, then pinned host memory, and
/// at last the modelled time of device calls.
bool is_better(const SweepFigures& a, const SweepFigures& b);
/// The same without what only modelled time decides.
bool is_better_exactly(const SweepFigures& a, const SweepFigures& b);
/// Compares the worst recording of each. Of equal settings no options are better, then those with
/// less modelled time, then the shorter string, as it changes less; refused settings come last.
bool is_better(const SweepRow& a, const SweepRow& b);

/// Best first.
void sort_rows(std::vector<SweepRow>& rows);

}  // namespace vramlab::replay
