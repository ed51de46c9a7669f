#include "replay/history/recorded_calls.h"

#include <algorithm>

namespace vramlab::replay {
namespace {

using allocator::Action;

class Cutter {
 public:
  explicit Cutter(const DeviceHistory& history)
      : history_(history), calls_(history.events.place()) {}

  RecordedCalls cut() {
    while (at_ < history_.events.size()) {
      const Action action = history_.events[at_].action;
      if (action == Action::snapshot)
        ++at_;
      else if (action == Action::free_requested)
        take_free();
      else if (action == Action::free_completed && !history_.traits.requests_frees)
        add(RecordedCallKind::free, at_ + 1);
      else
        take_run();
    }
    return std::move(calls_);
  }

 private:
  void add(RecordedCallKind kind, std::size_t end) {
    calls_.push_back({kind, at_, end});
    at_ = end;
  }
  void take_free() {
    const std::size_t next = at_ + 1;
    const bool is_back = next < history_.events.size() &&
                         history_.events[next].action == Action::free_completed &&
                         history_.events[next].address == history_.events[at_].address;
    add(is_back ? RecordedCallKind::free : RecordedCallKind::free_later, is_back ? at_ + 2 : next);
  }
  void take_run() {
    for (std::size_t end = at_; end < history_.events.size(); ++end) {
      const Action action = history_.events[end].action;
      if (action == Action::alloc || action == Action::oom)
        return add(RecordedCallKind::request, end + 1);
      if (action == Action::free_requested || action == Action::snapshot)
        return add(RecordedCallKind::release, end);
    }
    add(RecordedCallKind::release, history_.events.size());
  }

  const DeviceHistory& history_;
  std::size_t at_ = 0;
  RecordedCalls calls_;
};

}  // namespace

RecordedCalls cut_into_calls(const DeviceHistory& history) { return Cutter(history).cut(); }

std::optional<RecordedCall> call_of(const RecordedCalls& calls, std::size_t event) {
  const auto call = std::ranges::upper_bound(calls, event, {}, &RecordedCall::end);
  if (call == calls.end()) return std::nullopt;
  return *call;
}

}  // namespace vramlab::replay
