// A moment in a recording or a program, as a user names it.
#pragma once

#include <cstdint>

namespace vramlab::replay {

enum class MomentKind : std::uint8_t {
  /// When most was in use, by what was requested.
  peak,
  /// The first.
  out_of_memory,
  /// What the file itself shows; the only one where there is no history.
  end,
  /// After the event, and after the call that it belongs to where there are states to show.
  event,
  /// After the last event that is not later than so long after the first one of the file.
  time,
};

struct Moment {
  MomentKind kind = MomentKind::peak;
  std::uint64_t event = 0;
  std::uint64_t time_ns = 0;
};

}  // namespace vramlab::replay
