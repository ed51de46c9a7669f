// ChangesOnTheWay: the option strings that a replay is asked to set while the program runs, each as
// an event of the program before the one that it comes before.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "replay/recording/compact_program.h"
#include "replay/replayer/replay_conditions.h"

namespace vramlab::replay {

class ChangesOnTheWay {
 public:
  /// The changes must outlive it.
  ChangesOnTheWay(const std::vector<OptionsChange>& changes, CompactReader& reader)
      : changes_(changes), reader_(reader) {
    find_next();
  }

  /// Whether the next change comes before the event at this index.
  bool are_due(std::size_t index) const { return index >= next_at_; }
  /// The next change on a device. Requires: there is one.
  traces::ProgramEvent event_for(traces::DeviceIndex device) const {
    traces::ProgramEvent event;
    event.kind = traces::ProgramEventKind::options;
    event.device = device;
    event.text = changes_[next_].text;
    return event;
  }
  void go_on() {
    ++next_;
    find_next();
  }

 private:
  void find_next() {
    next_at_ = next_ == changes_.size() ? std::numeric_limits<std::size_t>::max()
                                        : reader_.index_from(changes_[next_].event);
  }

  const std::vector<OptionsChange>& changes_;
  CompactReader& reader_;
  std::size_t next_ = 0;
  std::size_t next_at_ = 0;
};

}  // namespace vramlab::replay
