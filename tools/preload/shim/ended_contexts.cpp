#include "tools/preload/shim/ended_contexts.h"

#include <algorithm>
#include <utility>

namespace vramlab::shim {
namespace {

using allocator::PooledStatistic;

constexpr PooledStatistic StatisticValues::* pooled[] = {
    &StatisticValues::allocation,      &StatisticValues::segment,
    &StatisticValues::active,          &StatisticValues::inactive_split,
    &StatisticValues::allocated_bytes, &StatisticValues::reserved_bytes,
    &StatisticValues::active_bytes,    &StatisticValues::inactive_split_bytes,
    &StatisticValues::requested_bytes};
constexpr StatisticValue PooledStatistic::* kinds[] = {
    &PooledStatistic::all, &PooledStatistic::small_pool, &PooledStatistic::large_pool};
constexpr std::int64_t StatisticValues::* counts[] = {
    &StatisticValues::num_alloc_retries,    &StatisticValues::num_ooms,
    &StatisticValues::num_sync_all_streams, &StatisticValues::num_device_alloc,
    &StatisticValues::num_device_free,      &StatisticValues::num_oom_rejections};

void add_ended(StatisticValue& to, const StatisticValue& ended) {
  to.peak = std::max(to.peak, ended.peak);
  to.allocated += ended.allocated;
  to.freed += ended.freed + ended.current;
}

void add_ended(StatisticValues& to, const StatisticValues& ended) {
  for (const auto statistic : pooled)
    for (const auto kind : kinds) add_ended(to.*statistic.*kind, ended.*statistic.*kind);
  add_ended(to.oversize_allocations, ended.oversize_allocations);
  add_ended(to.oversize_segments, ended.oversize_segments);
  for (const auto count : counts) to.*count += ended.*count;
}

/// The entries with which all memory goes.
void close_history(ArenaHistory& history, const Snapshot& last) {
  const std::uint64_t time_us = history.empty() ? 0 : history.back().time_us;
  const auto add = [&](Action action, Address address, Bytes size) {
    HistoryEntry entry;
    entry.action = action;
    entry.address = address;
    entry.size = size;
    entry.time_us = time_us;
    history.push_back(entry);
  };
  for (const SnapshotSegment& segment : last.segments) {
    for (const SnapshotBlock& block : segment.blocks) {
      if (block.state == BlockState::inactive) continue;
      if (block.state == BlockState::active_allocated)
        add(Action::free_requested, block.address, block.requested);
      add(Action::free_completed, block.address, block.requested);
    }
    add(segment.is_expandable ? Action::segment_unmap : Action::segment_free, segment.address,
        segment.total_size);
  }
}

}  // namespace

void EndedContexts::add(ArenaReport report) {
  if (history_entries_ > 0) close_history(report.history, report.snapshot);
  const auto known = std::ranges::find(reports_, report.device, &ArenaReport::device);
  ArenaReport& device = known != reports_.end()
                            ? *known
                            : reports_.emplace_back(ArenaReport{report.device, {}, {}, {}});
  add_ended(device.statistics, report.statistics);
  ArenaHistory& kept = device.history;
  kept.insert(kept.end(), report.history.begin(), report.history.end());
  if (kept.size() > history_entries_)
    kept.erase(kept.begin(), kept.end() - static_cast<std::ptrdiff_t>(history_entries_));
}

}  // namespace vramlab::shim
