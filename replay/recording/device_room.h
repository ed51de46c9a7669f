// DeviceRoom: what a history tells of the memory that its program could have. An out-of-memory says
// how much was free, which with what was reserved is all there was. Else there was at least as much
// as was reserved at the peak.
#pragma once

#include <optional>

#include "replay/recording/recorded_history.h"

namespace vramlab::replay {

struct DeviceRoom {
  /// Before the first event.
  Bytes reserved_at_start;
  Bytes peak_reserved;
  /// All that the program could reserve, if every out-of-memory tells the same, and that it was too
  /// little.
  std::optional<Bytes> total;

  Bytes at_least() const { return total.value_or(peak_reserved); }
};

DeviceRoom room_of(const DeviceHistory& history);

}  // namespace vramlab::replay
