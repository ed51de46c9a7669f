#include "replay/stream_waits/waiting_frees.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "allocator/types/check.h"
#include "replay/recording/live_blocks.h"
#include "replay/recording/starting_state.h"

namespace vramlab::replay {
namespace {

std::set<std::uint64_t> waiting_finally(const DeviceHistory& history) {
  std::set<std::uint64_t> waiting;
  for (const SnapshotSegment& segment : history.final_segments)
    for (const SnapshotBlock& block : segment.blocks)
      if (block.state == BlockState::active_pending_free) waiting.insert(block.address.value);
  return waiting;
}

class WaitingWalk : public LiveBlocks {
 public:
  WaitingWalk(const DeviceHistory& history, WaitingWatcher& watcher)
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

  /// 0 unless all entries have times.
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

  /// The wait of the block, with its end now.
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

std::uint64_t last_time_us(const DeviceHistory& history) {
  std::uint64_t last = 0;
  for (const AllocatorEvent& event : history.events) last = std::max(last, event.time_us);
  return last;
}

std::uint64_t first_time_us(const DeviceHistory& history) {
  return history.events.empty() ? 0 : history.events.front().time_us;
}

/// Whether entries are counted, as no time passes in the history.
bool counts_events(const DeviceHistory& history) {
  return history.traits.lacks_time || last_time_us(history) == first_time_us(history);
}

HeldCurve curve_over(const DeviceHistory& history) {
  if (history.events.empty()) return {0, 0, 1};
  if (counts_events(history)) return {0, history.events.size() - 1, held_step_count};
  return {first_time_us(history), last_time_us(history), held_step_count};
}

std::optional<WaitSpread> spread_of(const std::map<std::uint64_t, std::uint64_t>& counts) {
  if (counts.empty()) return std::nullopt;
  std::uint64_t total = 0;
  for (const auto& [length, count] : counts) total += count;
  std::uint64_t before = 0;
  for (const auto& [length, count] : counts) {
    before += count;
    if (before > (total - 1) / 2)
      return WaitSpread{counts.begin()->first, length, counts.rbegin()->first};
  }
  return std::nullopt;
}

template <class Row>
void sort_by_cost(std::vector<Row>& rows) {
  std::ranges::stable_sort(
      rows, [](const Row& a, const Row& b) { return is_costlier(a.totals, b.totals); });
}

/// Adds up the cost of waiting while it is told of a walk through the history.
class WaitingSum : public WaitingWatcher {
 public:
  /// The history must outlive the sum.
  explicit WaitingSum(const DeviceHistory& history);

  void wait_began(const WaitingFree& free) override;
  void wait_ended(const WaitingFree& free) override;

  WaitingCost take(const WalkCounts& counts);

 private:
  void note_level(const WaitMoment& now);

  using Places = std::pair<std::optional<traces::StackId>, std::optional<traces::StackId>>;

  const DeviceHistory& history_;
  WaitingCost cost_;
  bool counts_events_ = false;
  HeldCurve curve_;
  Peak held_;
  std::map<Places, WaitingTotals> by_place_;
  std::map<StreamId, WaitingTotals> by_stream_;
  // How many whole waits took so long, in entries and in microseconds.
  std::map<std::uint64_t, std::uint64_t> by_events_;
  std::map<std::uint64_t, std::uint64_t> by_us_;
};

}  // namespace

bool says_when_frees_were_requested(const DeviceHistory& history) {
  return history.traits.requests_frees ||
         std::ranges::none_of(history.events, [](const AllocatorEvent& event) {
           return event.action == Action::free_completed;
         });
}

WalkCounts walk_waiting_frees(const DeviceHistory& history, WaitingWatcher& watcher) {
  return WaitingWalk(history, watcher).go();
}

WaitingReleases::WaitingReleases(const DeviceHistory& history, const RecordedCalls& calls,
                                 const std::set<std::size_t>& emptied)
    : history_(history), calls_(calls), emptied_(emptied) {
  if (!calls_.empty() && calls_.front().first == 0) begin_call(std::nullopt);
}

std::optional<std::size_t> WaitingReleases::release_in(const RecordedCall& call) const {
  const auto emptied = emptied_.lower_bound(call.first);
  if (emptied != emptied_.end() && *emptied < call.end) return *emptied;
  for (std::size_t i = call.first; i < call.end; ++i)
    if (is_release(history_.events[i].action)) return i;
  return std::nullopt;
}

void WaitingReleases::begin_call(const std::optional<WaitMoment>& now) {
  const RecordedCall& call = calls_[call_++];
  call_end_ = call.end;
  before_call_ = now;
  first_completed_.reset();
  current_.reset();
  const auto release = release_in(call);
  if (!release) return;
  current_.emplace();
  current_->call_event = call.first;
  current_->event = *release;
}

void WaitingReleases::wait_ended(const WaitingFree& free) {
  if (free.outlasts) return;
  --waiting_;
  if (!current_) return;
  if (current_->completed == 0) first_completed_ = free.ended;
  ++current_->completed;
  current_->completed_bytes += free.bytes;
}

void WaitingReleases::event_done(const WaitMoment& now) {
  if (current_ && now.event == current_->event) finish(now);
  const std::size_t next = now.event + 1;
  if (call_ < calls_.size() && calls_[call_].first == next) begin_call(now);
}

void WaitingReleases::finish(const WaitMoment& now) {
  WaitingRelease release = *current_;
  current_.reset();
  release.still_waiting = waiting_;
  if (release.completed + release.still_waiting == 0) return;
  for (std::size_t i = now.event; i < call_end_; ++i)
    if (is_release(history_.events[i].action)) release.released += history_.events[i].size;
  release.synchronised =
      release.completed > 0 && release.still_waiting == 0 && emptied_.contains(release.event);
  if (release.synchronised && !history_.traits.lacks_time) {
    release.shown_us = now.time_us - first_completed_->time_us;
    if (before_call_) release.at_most_us = now.time_us - before_call_->time_us;
  }
  found_.push_back(release);
}

void WaitingTotals::add(const WaitingFree& free) {
  add(WaitingTotals{1, free.bytes, held_for(free.bytes, free.ended.time_us - free.began.time_us),
                    bounded_product(free.bytes.count, free.ended.event - free.began.event)});
}

void WaitingTotals::add(const WaitingTotals& other) {
  count += other.count;
  bytes = {bounded_sum(bytes.count, other.bytes.count)};
  byte_time += other.byte_time;
  byte_events = bounded_sum(byte_events, other.byte_events);
}

bool is_costlier(const WaitingTotals& a, const WaitingTotals& b) {
  return std::tuple(a.byte_time, a.byte_events, a.bytes) >
         std::tuple(b.byte_time, b.byte_events, b.bytes);
}

WaitingSum::WaitingSum(const DeviceHistory& history)
    : history_(history), counts_events_(counts_events(history)), curve_(curve_over(history)) {
  cost_.device = history.device;
  cost_.event_count = history.events.size();
  cost_.is_known = says_when_frees_were_requested(history);
  if (!history.events.empty() && !history.traits.lacks_time)
    cost_.span_us = last_time_us(history) - first_time_us(history);
  for (const SnapshotSegment& segment : history.final_segments)
    for (const SnapshotBlock& block : segment.blocks) {
      if (block.state != BlockState::active_pending_free) continue;
      ++cost_.final_blocks;
      cost_.final_bytes += block.size;
    }
}

void WaitingSum::wait_began(const WaitingFree& free) {
  if (held_.add(free.bytes)) cost_.peak_at = free.began;
  note_level(free.began);
}

void WaitingSum::wait_ended(const WaitingFree& free) {
  cost_.totals.add(free);
  if (free.began_before) cost_.at_beginning.add(free);
  if (free.outlasts) cost_.at_end.add(free);
  by_place_[{free.alloc_stack, free.free_stack}].add(free);
  by_stream_[free.stream].add(free);
  if (free.is_whole()) {
    ++by_events_[free.ended.event - free.began.event];
    ++by_us_[free.ended.time_us - free.began.time_us];
  }
  // Frees that outlast the history are held at its end.
  if (free.outlasts) return;
  held_.subtract(free.bytes);
  note_level(free.ended);
}

void WaitingSum::note_level(const WaitMoment& now) {
  curve_.change(counts_events_ ? now.event : now.time_us, held_.bytes_now());
}

WaitingCost WaitingSum::take(const WalkCounts& counts) {
  cost_.counts = counts;
  cost_.peak = held_.bytes();
  cost_.held = curve_.finish();
  cost_.wait_events = spread_of(by_events_);
  if (!history_.traits.lacks_time) cost_.wait_us = spread_of(by_us_);
  for (const auto& [places, totals] : by_place_)
    cost_.sites.push_back({places.first, places.second, totals});
  for (const auto& [stream, totals] : by_stream_) cost_.streams.push_back({stream, totals});
  sort_by_cost(cost_.sites);
  sort_by_cost(cost_.streams);
  return std::move(cost_);
}

WaitingCost waiting_cost(const DeviceHistory& history) {
  WaitingSum sum(history);
  const WalkCounts counts = walk_waiting_frees(history, sum);
  return sum.take(counts);
}

}  // namespace vramlab::replay
