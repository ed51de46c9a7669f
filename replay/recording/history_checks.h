// History checks: answers that a history gives before it is followed. impossible_part() says
// whether an allocator can have made it at all: sizes and addresses must lie in the ranges that one
// gives, or nothing is replayed. room_of() says how much memory its program could have.
#pragma once

#include <optional>
#include <string>

#include "replay/recording/recorded_history.h"

namespace vramlab::replay {

/// The first part that no allocator can have made, as a sentence; empty if there is none.
std::string impossible_part(const DeviceHistory& history);

/// The memory that a history's program could have. An out-of-memory says how much was free; with
/// the reserved memory this is all there was. Otherwise there was at least as much as was reserved
/// at the peak.
struct DeviceRoom {
  /// Before the first event.
  Bytes reserved_at_start;
  Bytes peak_reserved;
  /// All that the program could reserve. Empty unless every out-of-memory says the same and shows
  /// that it was too little.
  std::optional<Bytes> total;
  /// A request failed for which there was room: something else refused it, such as a memory
  /// fraction.
  bool was_limited = false;

  Bytes at_least() const { return total.value_or(peak_reserved); }
};

DeviceRoom room_of(const DeviceHistory& history);

}  // namespace vramlab::replay
