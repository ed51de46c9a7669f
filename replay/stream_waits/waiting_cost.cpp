#include "replay/stream_waits/waiting_cost.h"

#include <algorithm>
#include <tuple>

namespace vramlab::replay {
namespace {

std::uint64_t last_time_us(const DeviceHistory& history) {
  std::uint64_t last = 0;
  for (const AllocatorEvent& event : history.events) last = std::max(last, event.time_us);
  return last;
}

std::uint64_t first_time_us(const DeviceHistory& history) {
  return history.events.empty() ? 0 : history.events.front().time_us;
}

/// By entries where no time goes by.
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

}  // namespace

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
  // What outlasts the history is held at its end.
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
