// HostClocks: what time it is for each host thread. Calls are made in their order: a call is never
// earlier than the one before it, of whichever thread, and never while its own thread waits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "streams/time/virtual_time.h"
#include "streams/time/work.h"

namespace vramlab::streams {

class HostClocks {
 public:
  HostClocks() = default;
  HostClocks(const HostClocks&) = delete;
  HostClocks& operator=(const HostClocks&) = delete;

  /// The instant of a call that its thread gets to make then, or later.
  Time begin_call(ThreadId thread, std::optional<Time> not_before) {
    Time& clock = clock_of(thread);
    clock = std::max({clock, not_before.value_or(Time{}), last_call_});
    last_call_ = clock;
    return clock;
  }
  void pass(ThreadId thread, Duration by) { clock_of(thread) = clock_of(thread) + by; }
  void wait_until(ThreadId thread, Time at) { clock_of(thread) = std::max(clock_of(thread), at); }
  Time time_of(ThreadId thread) const {
    const auto found = clocks_.find(thread);
    return found == clocks_.end() ? Time{} : found->second;
  }

 private:
  /// Mostly the same thread calls again.
  Time& clock_of(ThreadId thread) {
    if (latest_ == nullptr || latest_->first != thread)
      latest_ = &*clocks_.try_emplace(thread).first;
    return latest_->second;
  }

  std::map<ThreadId, Time> clocks_;
  std::pair<const ThreadId, Time>* latest_ = nullptr;
  Time last_call_;
};

}  // namespace vramlab::streams
