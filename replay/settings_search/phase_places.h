// PhasePlaces: the places of a program at which it could set other options, found in a history: a
// line of its own that runs for the first time, a mark, the end of the first optimizer's step. A
// place is known twice, as a line or a mark for people and as an event for replays.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "replay/replayer/replayer.h"
#include "traces/model/snapshot_tables.h"

namespace vramlab::replay {

enum class PlaceKind : std::uint8_t {
  /// Before a line that was not run before.
  before_line,
  /// Behind the line of the first optimizer's step.
  behind_step,
  /// At the beginning of a range that has a name, or at a marker.
  at_mark,
};

struct PhasePlace {
  PlaceKind kind = PlaceKind::before_line;
  /// A change comes before this event; requests before it are not empty.
  std::uint64_t event = 0;
  /// Null for a mark.
  std::optional<traces::FrameId> frame = std::nullopt;
  /// The text of a mark.
  std::string mark = {};
  /// The event before which the line, or the mark, began last: the program gets there again, and
  /// sets the options again.
  std::uint64_t last_begin = 0;
  /// The callers of the line in the program's own code.
  std::size_t depth = 0;
  /// Requested from here to the next place.
  Bytes requested = {};
};

/// In order; one for each event. Requires: the recording has one device, and is kept.
std::vector<PhasePlace> phase_places(const Recording& recording, const Replayer& replayer);

/// The most important ones, at most so many, in order: marks and steps, then outer lines before
/// inner ones, and those with more requests behind them first.
std::vector<PhasePlace> main_places(const std::vector<PhasePlace>& places, std::size_t most);

}  // namespace vramlab::replay
