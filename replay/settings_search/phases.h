// Phases: another option string from some place of the program on. The search begins with one
// string for the whole run, the best that advise finds, and adds changes at places of the program
// as long as each saves a share of what is to be saved. Each plan is replayed as a whole.
#pragma once

#include <string>
#include <vector>

#include "replay/settings_search/advise.h"
#include "replay/settings_search/phase_places.h"

namespace vramlab::replay {

struct PhaseChange {
  PhasePlace place;
  /// The string to set there.
  std::string conf;
};

struct PhasesAdvice {
  /// In force from the start.
  std::string conf_at_start;
  /// In order; empty if no change pays.
  std::vector<PhaseChange> changes;
  /// Figures of these.
  SweepRow best;
  /// The best single string, and no options: with the options that the program sets by itself.
  SweepRow single;
  SweepRow usual;
  std::size_t place_count = 0;
  std::uint64_t runs = 0;
};

/// The least part of the figure that counts most which a change has to save.
inline constexpr double least_share_saved = 0.01;

struct PhasesQuestion {
  const Recording& recording;
  /// The program's own options are kept in its conditions.
  const AdviseOptions& options;
  /// The best string for the whole run.
  std::string single;
};

/// Requires: the recording has one device. `texts`: takes the strings that are tried.
PhasesAdvice find_phases(const PhasesQuestion& question, const Replayer& replayer,
                         const RunSettings& run);

/// The line of Python that sets options while a program runs, as this version spells it.
std::string python_setter(const std::string& conf, const ReferenceVersion& version);

}  // namespace vramlab::replay
