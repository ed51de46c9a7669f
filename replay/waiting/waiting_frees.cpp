#include "replay/waiting/waiting_frees.h"

#include <algorithm>

namespace vramlab::replay {
namespace {

using allocator::Action;
using allocator::Address;
using allocator::AllocatorEvent;
using allocator::BlockState;

/// What waits at a place, of what only size and stream are known.
using Unexplained = std::map<Address, WaitingFree>;

WaitingFree free_of(Address address, allocator::Bytes bytes, allocator::StreamId stream) {
  WaitingFree free;
  free.address = address;
  free.bytes = bytes;
  free.stream = stream;
  return free;
}

Unexplained waiting_finally(const DeviceHistory& history) {
  Unexplained waiting;
  for (const allocator::SnapshotSegment& segment : history.final_segments)
    for (const allocator::SnapshotBlock& block : segment.blocks)
      if (block.state == BlockState::active_pending_free)
        waiting[block.address] = free_of(block.address, block.requested, segment.stream);
  return waiting;
}

/// Backwards: what completes, or waits at the end, and was neither given back nor handed out
/// before.
Unexplained waiting_at_first(const DeviceHistory& history) {
  Unexplained waiting = waiting_finally(history);
  for (std::size_t i = history.events.size(); i-- > 0;) {
    const AllocatorEvent& event = history.events[i];
    if (event.action == Action::free_completed && i > 0)
      waiting[event.address] = free_of(event.address, event.size, event.stream);
    if (event.action == Action::free_completed && i == 0) waiting.erase(event.address);
    if (event.action == Action::free_requested || event.action == Action::alloc)
      waiting.erase(event.address);
  }
  return waiting;
}

class Walk {
 public:
  Walk(const DeviceHistory& history, WaitingWatcher& watcher)
      : history_(history), watcher_(watcher) {}

  WalkCounts go() {
    begin();
    for (std::size_t i = 0; i < history_.events.size(); ++i) {
      now_ = {i, time_of(i)};
      step(history_.events[i]);
      watcher_.event_done(now_);
    }
    end();
    return counts_;
  }

 private:
  void begin() {
    if (history_.events.empty()) return;
    now_ = {0, time_of(0)};
    if (!says_when_frees_were_requested(history_)) return;
    for (auto& [address, free] : waiting_at_first(history_)) {
      free.began_before = true;
      add(free);
    }
  }

  /// Some times without the others tell nothing.
  std::uint64_t time_of(std::size_t event) const {
    if (history_.traits.lacks_time) return 0;
    return std::max(now_.time_us, history_.events[event].time_us);
  }

  void add(WaitingFree free) {
    free.began = now_;
    watcher_.wait_began(free);
    waiting_.insert_or_assign(free.address, free);
  }

  void step(const AllocatorEvent& event) {
    switch (event.action) {
      case Action::alloc:
        if (finish(event.address)) ++counts_.contradictions;
        alloc_stacks_[event.address] = stack();
        break;
      case Action::free_requested:
        request(event);
        break;
      case Action::free_completed:
        finish(event.address);
        alloc_stacks_.erase(event.address);
        break;
      default:
        break;
    }
  }

  void request(const AllocatorEvent& event) {
    if (is_completed_at_once()) return void(++counts_.immediate_frees);
    if (finish(event.address)) ++counts_.contradictions;
    WaitingFree free = free_of(event.address, event.size, event.stream);
    if (const auto at = alloc_stacks_.find(event.address); at != alloc_stacks_.end()) {
      free.alloc_stack = at->second;
      alloc_stacks_.erase(at);
    }
    free.free_stack = stack();
    add(free);
  }

  bool is_completed_at_once() const {
    if (now_.event + 1 >= history_.events.size()) return false;
    const AllocatorEvent& next = history_.events[now_.event + 1];
    return next.action == Action::free_completed &&
           next.address == history_.events[now_.event].address;
  }

  /// Whether something waited there.
  bool finish(Address address) {
    const auto at = waiting_.find(address);
    if (at == waiting_.end()) return false;
    at->second.ended = now_;
    watcher_.wait_ended(at->second);
    waiting_.erase(at);
    return true;
  }

  void end() {
    const Unexplained finally = waiting_finally(history_);
    for (auto& [address, free] : waiting_) {
      if (!history_.final_segments.empty() && !finally.contains(address)) ++counts_.contradictions;
      free.outlasts = true;
      free.ended = now_;
      watcher_.wait_ended(free);
    }
  }

  traces::StackId stack() const {
    return history_.stacks.empty() ? traces::StackId{} : history_.stacks[now_.event];
  }

  const DeviceHistory& history_;
  WaitingWatcher& watcher_;
  WalkCounts counts_;
  WaitMoment now_;
  std::map<Address, WaitingFree> waiting_;
  /// Of what is live and was asked for in the history.
  std::map<Address, traces::StackId> alloc_stacks_;
};

}  // namespace

bool says_when_frees_were_requested(const DeviceHistory& history) {
  return history.traits.requests_frees ||
         std::ranges::none_of(history.events, [](const AllocatorEvent& event) {
           return event.action == Action::free_completed;
         });
}

WalkCounts walk_waiting_frees(const DeviceHistory& history, WaitingWatcher& watcher) {
  return Walk(history, watcher).go();
}

}  // namespace vramlab::replay
