// Advice: the best setting for a recording, found by replaying a few. Of several recordings, such
// as the ranks of a job, the worst decides how good a setting is.
//
// The grid has every combination of the options that can matter here, with the values that people
// try. Its best setting is looked for along one option at a time, from the better of the classic
// and the expandable way on. Settings that cannot win are left out without a replay: values that
// change no size that the program requests, and roundings with which more memory is live than the
// best setting reserves.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "replay/replayer/replayer.h"
#include "replay/settings_search/capacity.h"
#include "replay/settings_search/sweep.h"

namespace vramlab::replay {

/// The figure that counts most; a setting that fails is worse than one that does not.
enum class Preference : std::uint8_t {
  /// The least peak of reserved memory, then the fewest device calls.
  memory,
  /// The fewest device calls, then the least peak.
  calls,
  /// The least modelled time in device calls, then the least peak.
  time,
};
bool is_preferred(const SweepRow& a, const SweepRow& b, Preference preference);

struct AdviseOptions {
  ReplayConditions conditions;
  Preference preference = Preference::memory;
  /// The names of options that no advised setting may have.
  std::set<std::string> without = {};
};

/// Whether an option string names one of these options.
bool names_any(std::string_view conf, const std::set<std::string>& names);

/// The options that can matter to one of these recordings and may be used, and the values to try.
OptionGrid options_that_matter(const Replayers& recordings, const AdviseOptions& options);

struct Advice {
  /// The options of the file, and no options at all.
  SweepRow recorded;
  SweepRow usual;
  SweepRow best;
  /// The next best setting with other figures that saves something, too, if any.
  std::optional<SweepRow> runner_up;
  std::uint64_t grid_size = 0;
  std::uint64_t runs = 0;
  /// The best of the settings under which the program goes on after failing where the recorded run
  /// did, if any.
  std::optional<SweepRow> best_as_it_went_on;
  /// Bounds of the worst recording under the best setting; empty where only a replay knows the live
  /// memory.
  std::optional<LiveBounds> live;

  /// Whether no setting saves anything against no options, or against the recorded ones where these
  /// save something; the better of the two is the best then.
  bool nothing_helps() const { return best.conf.empty() || best.is_recorded; }
  /// Whether the best setting is before the others by nothing but modelled time.
  bool is_decided_by_time(Preference preference) const;
};

/// Whether the figure that counts most is better than that of the other one, or the program gets
/// further.
bool saves_against(const SweepRow& row, const SweepRow& other, Preference preference);

/// Replays settings, side by side if possible; rows in the order of the settings.
using RunSettings = std::function<std::vector<SweepRow>(const std::vector<AskedSetting>&)>;

/// Options in the conditions take the place of the recorded ones. Requires: at least one recording.
Advice advise(const Replayers& recordings, const AdviseOptions& options, const RunSettings& run);

}  // namespace vramlab::replay
