#include "replay/follow/expandable_modes.h"

#include <algorithm>
#include <iterator>

namespace vramlab::replay {

using allocator::Action;

ExpandableModes::ExpandableModes(const DeviceHistory& history, const RecordedCalls& calls,
                                 const allocator::Settings& settings) {
  for (std::size_t call = 0; call < calls.size(); ++call) {
    const RecordedCall bounds = calls[call];
    for (std::size_t event = bounds.first; event < bounds.end; ++event) {
      const Action action = history.events[event].action;
      if (action != Action::segment_alloc && action != Action::segment_map) continue;
      const bool is_on = action == Action::segment_map;
      // The first one tells of the calls before it, too.
      if (changes_.empty())
        changes_.push_back({0, is_on});
      else if (changes_.back().is_on != is_on)
        changes_.push_back({call, is_on});
    }
  }
  if (changes_.empty()) changes_.push_back({0, settings.expandable_segments});
}

bool ExpandableModes::at(std::size_t call) const {
  const auto after = std::ranges::upper_bound(changes_, call, {}, &Change::first_call);
  return std::prev(after)->is_on;
}

}  // namespace vramlab::replay
