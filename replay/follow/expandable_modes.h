// Whether expandable segments were on at each call of a history.
#pragma once

#include <cstddef>
#include <vector>

#include "allocator/options/settings.h"
#include "replay/history/recorded_calls.h"

namespace vramlab::replay {

class ExpandableModes {
 public:
  /// As each call's own or the nearest segment call tells.
  ExpandableModes(const DeviceHistory& history, const RecordedCalls& calls,
                  const allocator::Settings& settings);

  /// At the call of this index.
  bool at(std::size_t call) const;

 private:
  /// Settings seldom change, so what is kept is where they do.
  struct Change {
    std::size_t first_call = 0;
    bool is_on = false;
  };
  std::vector<Change> changes_;
};

}  // namespace vramlab::replay
