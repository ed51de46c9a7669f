// The answer of `advise --phases`: which options to set from where on, as lines for a shell and for
// Python, with what that saves.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "replay/settings_search/phases.h"
#include "tools/cli/kit/explanation_report.h"

namespace vramlab::tools {

/// A change as people write it into their program.
struct WrittenChange {
  replay::PhaseChange change;
  /// Such as `before train.py:12 main`.
  std::string place;
  /// Empty for a mark.
  std::string file;
  std::uint64_t line = 0;
  std::string function;
  /// A comment that says where, and the call.
  std::vector<std::string> python;
};

struct PhasesOutcome {
  replay::PhasesAdvice advice;
  std::vector<WrittenChange> changes;
  /// The options of the start as a shell takes them; empty for none.
  std::string exported;

  bool pays() const { return !changes.empty(); }
};

/// Requires: one recording of one device, which throws InputError otherwise. The figures are
/// replayed once more, event by event, and must be the same.
PhasesOutcome find_phases_outcome(const replay::PhasesQuestion& question,
                                  const replay::Replayer& replayer, const replay::RunSettings& run);

/// Throws InputError where phases cannot be looked for in these.
void refuse_for_phases(const replay::Replayers& replayers);

/// The lines to type, one below the other. Requires: a change pays.
std::string phases_text(const PhasesOutcome& outcome);
/// The sentence for an answer in which no change pays.
std::string no_phases_text(const PhasesOutcome& outcome);
nlohmann::ordered_json phases_json(const PhasesOutcome& outcome);

}  // namespace vramlab::tools
