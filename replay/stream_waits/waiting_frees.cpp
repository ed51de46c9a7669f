#include "replay/stream_waits/waiting_frees.h"

#include <algorithm>
#include <set>

#include "allocator/types/check.h"
#include "replay/recording/backward_run.h"
#include "replay/recording/live_blocks.h"

namespace vramlab::replay {
namespace {

std::set<std::uint64_t> waiting_finally(const DeviceHistory& history) {
  std::set<std::uint64_t> waiting;
  for (const SnapshotSegment& segment : history.final_segments)
    for (const SnapshotBlock& block : segment.blocks)
      if (block.state == BlockState::active_pending_free) waiting.insert(block.address.value);
  return waiting;
}

class Walk : public LiveBlocks {
 public:
  Walk(const DeviceHistory& history, WaitingWatcher& watcher)
      : history_(history), watcher_(watcher) {}

  WalkCounts go() {
    begin();
    for (std::size_t i = 0; i < history_.events.size(); ++i) {
      now_ = {i, time_of(i)};
      MemoryEvent event = memory_event(history_, i);
      event.time_ns = now_.time_us * ns_per_us;
      apply(event);
      watcher_.event_done(now_);
    }
    end();
    return counts_;
  }

 private:
  void begin() {
    if (history_.events.empty()) return;
    now_ = begin_ = {0, time_of(0)};
    if (!says_when_frees_were_requested(history_)) return;
    const AllocatorEvent first = history_.events.front();
    for (const auto& [at, block] : run_backwards(history_).blocks) {
      const bool is_no_sign = first.action == Action::free_completed && first.address == at;
      if (!block.is_waiting || is_no_sign) continue;
      LiveBlock there;
      there.key = at.value;
      there.requested = block.requested;
      there.stream = block.stream;
      there.freed.emplace();
      add_earlier(there);
    }
  }

  /// Some times without the others tell nothing.
  std::uint64_t time_of(std::size_t event) const {
    if (history_.traits.lacks_time) return 0;
    return std::max(now_.time_us, history_.events[event].time_us);
  }

  void block_was_there(const LiveBlock& block) override {
    if (block.freed) watcher_.wait_began(wait_of(block));
  }
  void block_freed(const LiveBlock& block) override {
    if (!block.freed) return;
    if (is_completed_at_once()) return void(++counts_.immediate_frees);
    watcher_.wait_began(wait_of(block));
  }
  void block_completed(const LiveBlock& block) override {
    if (!block.freed || block.freed->event == now_.event - 1) return;
    watcher_.wait_ended(wait_of(block));
  }
  void block_lost(const LiveBlock& block) override {
    if (!block.freed) return;
    ++counts_.contradictions;
    watcher_.wait_ended(wait_of(block));
  }

  bool is_completed_at_once() const {
    if (now_.event + 1 >= history_.events.size()) return false;
    const AllocatorEvent next = history_.events[now_.event + 1];
    return next.action == Action::free_completed &&
           next.address == history_.events[now_.event].address;
  }

  /// Its end is now.
  WaitingFree wait_of(const LiveBlock& block) const {
    WaitingFree free;
    free.address = {block.key};
    free.bytes = block.requested;
    free.stream = block.stream;
    if (block.event) free.alloc_stack = block.stack;
    free.began_before = !block.freed->event;
    free.began = begin_;
    if (block.freed->event) {
      free.free_stack = block.freed->stack;
      free.began = {as_index(*block.freed->event), *block.freed->time_ns / ns_per_us};
    }
    free.ended = now_;
    return free;
  }

  void end() {
    const std::set<std::uint64_t> finally = waiting_finally(history_);
    for (const LiveBlock& block : in_order()) {
      if (!block.freed) continue;
      if (!history_.final_segments.empty() && !finally.contains(block.key))
        ++counts_.contradictions;
      WaitingFree free = wait_of(block);
      free.outlasts = true;
      watcher_.wait_ended(free);
    }
  }

  const DeviceHistory& history_;
  WaitingWatcher& watcher_;
  WalkCounts counts_;
  WaitMoment begin_;
  WaitMoment now_;
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
