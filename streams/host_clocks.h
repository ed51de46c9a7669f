// HostClocks: what time it is for each host thread. Calls are made in their order: a call is never
// earlier than the one before it, of whichever thread, and never while its own thread waits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>

#include "streams/virtual_time.h"
#include "streams/work.h"

namespace vramlab::streams {

class HostClocks {
 public:
  /// The instant of a call that its thread gets to make then, or later.
  Time begin_call(ThreadId thread, std::optional<Time> not_before) {
    Time& clock = clocks_[thread];
    clock = std::max({clock, not_before.value_or(Time{}), last_call_});
    last_call_ = clock;
    return clock;
  }
  void pass(ThreadId thread, Duration by) { clocks_[thread] = clocks_[thread] + by; }
  void wait_until(ThreadId thread, Time at) { clocks_[thread] = std::max(clocks_[thread], at); }
  Time time_of(ThreadId thread) const {
    const auto found = clocks_.find(thread);
    return found == clocks_.end() ? Time{} : found->second;
  }

 private:
  std::map<ThreadId, Time> clocks_;
  Time last_call_;
};

}  // namespace vramlab::streams
