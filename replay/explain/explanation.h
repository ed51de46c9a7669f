// Explanation: the answer to "what happened to the memory here?", for the device of a recording
// that matters most. For a request that failed: who asked, why it failed, who held the memory, and
// what would have helped. Without a failure: the peak, who held it, the memory that lay idle, and
// the best setting. Figures only; tools/ prints them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "replay/explain/device_overview.h"
#include "replay/explain/failure_explanation.h"
#include "replay/explain/stranding_sites.h"
#include "replay/explain/ways_out.h"

namespace vramlab::replay {

/// How much is looked at.
enum class ExplainDepth : std::uint8_t {
  /// A failed request as with `full`; without one, only what following the history quickly shows.
  glance,
  /// No replays that find what would have helped.
  quick,
  full,
};

struct ExplainQuestion {
  /// The event of a failed request; without it, the first that failed.
  std::optional<std::uint64_t> event = {};
  std::optional<std::int64_t> device = {};
  /// Explains a replay under these conditions instead of what was recorded.
  std::optional<ReplayConditions> under = {};
  ExplainDepth depth = ExplainDepth::full;
};

struct Explanation {
  std::string file;
  DeviceOverview overview;
  bool is_program = false;
  /// A replay is explained, rather than a recorded history.
  bool is_replayed = false;
  /// At the failure, at the peak of reserved memory, or at the end. Null where an allocator cannot
  /// have made the history.
  std::unique_ptr<DeviceState> state;
  StateFigures figures;
  std::optional<FailureExplanation> failure;
  /// Call sites at the failure, or at the peak of allocated memory.
  std::vector<HeldGroup> holders;
  /// The kinds of memory then, where the recording says them.
  std::vector<HeldGroup> kinds;
  /// Estimates for that moment.
  std::vector<Lever> levers;
  Bytes held;
  std::vector<StrandingSite> stranding;
  std::optional<SmallestGpu> smallest_gpu;
  std::optional<FoundAdvice> advice;
  /// Empty where the recording began before memory was reserved.
  std::optional<LateStart> late_start;
  /// Empty where nothing can be replayed; `no_replay` says why.
  std::optional<Trust> trust;
  std::string no_replay;
  /// Memory from before the recording is taken to be the same under the options that are asked.
  bool keeps_start = false;
  /// The first request that failed in the recorded run and passes in the replay: what follows
  /// depends on what the program does.
  std::optional<std::uint64_t> depends_from;
  /// The options in force; empty if there are none.
  std::string options;
  /// Why the recorded ones are not sure; empty if they are.
  std::string options_doubt;
  /// They are those of the question.
  bool has_asked_options = false;
  /// Whether the history is too long to seek a setting.
  bool is_too_long = false;
  /// Sentences about all that is not sure.
  std::vector<std::string> doubts;

  /// The peak was there before the first event, so no setting can be judged.
  bool began_late() const;
};

/// `run`: replays settings. Throws InputError, also if the file has no device or no such failure.
Explanation explain(Recording& recording, const ExplainQuestion& question,
                    const SettingsRunner& run, const ReplayEffort& effort);

}  // namespace vramlab::replay
