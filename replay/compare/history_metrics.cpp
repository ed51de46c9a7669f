#include "replay/compare/history_metrics.h"

#include <algorithm>
#include <optional>

#include "replay/recording/placed_events.h"
#include "replay/replayer/recorded_memory.h"

namespace vramlab::replay {
namespace {

using allocator::Action;
using allocator::Bytes;

struct CallCounts {
  std::uint64_t requests = 0;
  std::uint64_t frees = 0;
};

/// Completed frees count if there are no entries for requested ones.
CallCounts count_calls(const DeviceHistory& history) {
  CallCounts counts;
  const Action freed =
      history.traits.requests_frees ? Action::free_requested : Action::free_completed;
  for (const allocator::AllocatorEvent& event : history.events) {
    if (event.action == Action::alloc || event.action == Action::oom) ++counts.requests;
    if (event.action == freed) ++counts.frees;
  }
  return counts;
}

struct AtEnd {
  Bytes allocated;
  Bytes reserved;
};

AtEnd at_end(const DeviceHistory& history) {
  AtEnd end;
  for (const allocator::SnapshotSegment& segment : history.final_segments) {
    end.reserved += segment.total_size;
    for (const allocator::SnapshotBlock& block : segment.blocks)
      if (block.state == allocator::BlockState::active_allocated) end.allocated += block.size;
  }
  return end;
}

/// Callers add values in the order of the table.
void add(MetricValues& values, std::string_view name, std::uint64_t value) {
  values.push_back({name, metric_of(value)});
}

}  // namespace

MetricValues history_metrics(const DeviceHistory& history, const ExplainedHistory& explained) {
  MetricValues values;
  const AtEnd end = at_end(history);
  if (history.events.empty()) {
    add(values, "end_allocated", end.allocated.count);
    add(values, "end_reserved", end.reserved.count);
    return values;
  }
  const CallCounts calls = count_calls(history);
  std::optional<Bytes> allocated;
  if (explained.is_placed() && explained.room.peak_reserved > Bytes{})
    allocated = find_peaks(history, explained).allocated.bytes;
  const RecordedMemory memory = recorded_memory(history, explained);
  const std::uint64_t all_got = reserved_at(explained.start).count + memory.counts.got.count;
  add(values, "requests", calls.requests);
  add(values, "frees", calls.frees);
  if (allocated) add(values, "peak_allocated", allocated->count);
  add(values, "peak_requested", memory.peak_requested.count);
  add(values, "peak_reserved", memory.peak_reserved.count);
  add(values, "end_allocated", end.allocated.count);
  add(values, "end_reserved", end.reserved.count);
  add(values, "device_allocs", memory.counts.device_allocs);
  add(values, "device_frees", memory.counts.device_frees);
  add(values, "device_bytes", memory.counts.got.count);
  add(values, "device_churn", all_got - std::min(all_got, memory.peak_reserved.count));
  add(values, "out_of_memory", memory.counts.failures);
  return values;
}

MetricValues host_history_metrics(const DeviceHistory& host, const ExplainedHistory& explained) {
  MetricValues values;
  if (!host.events.empty()) {
    const CallCounts calls = count_calls(host);
    const RecordedMemory memory = recorded_memory(host, explained);
    add(values, "host_requests", calls.requests);
    add(values, "host_frees", calls.frees);
    add(values, "host_peak_active", memory.peak_requested.count);
    add(values, "host_peak_pinned", memory.peak_reserved.count);
    add(values, "host_allocs", memory.counts.device_allocs);
    add(values, "host_releases", memory.counts.device_frees);
  }
  add(values, "host_end_pinned", at_end(host).reserved.count);
  return values;
}

}  // namespace vramlab::replay
