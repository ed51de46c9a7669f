// SettingsInTime: the settings in force at each call of a history. A file holds only the last ones.
// The calls themselves show whether expandable segments were on. Other options that changed in
// mid-run are found out by following the history (explain).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "allocator/options/settings.h"
#include "allocator/types/reference_version.h"
#include "replay/recording/recorded_calls.h"

namespace vramlab::replay {

/// Settings from an event on, up to the next phase.
struct SettingsPhase {
  std::size_t first_event = 0;
  allocator::Settings settings;
  /// Whether expandable segments are on holds from here on, too, until a call shows it otherwise.
  bool sets_expandable = false;
};
/// In order; the first begins with event 0.
using SettingsPhases = std::vector<SettingsPhase>;

/// The settings at the start and those that a dry run noted.
SettingsPhases noted_phases(const DeviceHistory& history, const allocator::Settings& at_start,
                            const ReferenceVersion& version);

class SettingsInTime {
 public:
  /// The settings of no history.
  SettingsInTime() = default;
  SettingsInTime(const DeviceHistory& history, const RecordedCalls& calls,
                 const SettingsPhases& phases, allocator::PrivateSegments private_segments);

  /// The settings at the call of this index. Requires: there is a history.
  const allocator::Settings& at(std::size_t call) const;

  struct Change {
    std::size_t first_call = 0;
    allocator::Settings settings;
  };
  /// The first one is for call 0.
  const std::vector<Change>& changes() const { return changes_; }

 private:
  std::vector<Change> changes_;
};

/// Settings that a phase may have had if the recorded ones do not explain it: some of the options
/// that decide about blocks are not set.
std::vector<allocator::Settings> weaker_settings(const allocator::Settings& recorded);

/// Settings that a program may have set while it ran, the likely ones first: the recorded ones, the
/// weaker ones, and usual values of the options that decide about blocks.
std::vector<allocator::Settings> possible_settings(const allocator::Settings& recorded);

/// The options that decide about blocks, as a string that sets them over those in force.
std::string option_string(const allocator::Settings& settings,
                          const allocator::Settings& in_force = {});

}  // namespace vramlab::replay
