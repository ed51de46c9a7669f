#include "replay/metrics/metrics.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace vramlab::replay {
namespace {

using enum MetricUnit;
using enum MetricOf;
using enum WorseWhen;

constexpr Metric table[] = {
    {"allocated", bytes, state, more, "Blocks that the program holds."},
    {"waiting", bytes, state, more, "Freed blocks that other streams may still use."},
    {"active", bytes, state, more, "allocated and waiting together."},
    {"requested", bytes, state, more, "What the program asked for, for active blocks."},
    {"rounding_waste", bytes, state, more, "active less requested."},
    {"reserved", bytes, state, more, "Device memory that the allocator holds."},
    {"free", bytes, state, more, "reserved less active: cached memory."},
    {"inactive_split", bytes, state, more,
     "Free parts of classic segments that are partly in use."},
    {"releasable", bytes, state, neither, "What a release of everything cached would return."},
    {"pool_held", bytes, state, neither,
     "Free memory that only private pools in use keep from being released."},
    {"stranded", bytes, state, more,
     "Free or waiting memory that live blocks keep from being released."},
    {"largest_free", bytes, state, less, "The largest free block."},
    {"largest_cached", bytes, state, less,
     "The largest request that could be served without new device memory."},
    {"largest_possible", bytes, state, less,
     "The largest request that could be served with new device memory."},
    {"external_fragmentation", ratio, state, more, "1 less largest_free divided by free."},
    {"usable_share", ratio, state, less,
     "The share of free that could serve requests of this workload's sizes."},
    {"segments", count, state, neither,
     "Classic segments, and runs of mapped memory of expandable ones."},
    {"blocks", count, state, neither, "Blocks, free ones included."},
    {"live_blocks", count, state, neither, "Blocks that the program holds."},
    {"holes", count, state, more, "Free blocks."},
    {"requests", count, run, neither, "Requests that the program made."},
    {"frees", count, run, neither, "Blocks that the program freed."},
    {"peak_allocated", bytes, run, more, "The peak of allocated."},
    {"peak_active", bytes, run, more, "The peak of active."},
    {"peak_requested", bytes, run, more, "The peak of requested."},
    {"peak_reserved", bytes, run, more, "The peak of reserved."},
    {"stranded_at_peak", bytes, run, more,
     "What was stranded when reserved first reached its peak."},
    {"end_allocated", bytes, run, more, "allocated at the end."},
    {"end_reserved", bytes, run, more, "reserved at the end."},
    {"device_allocs", count, run, more, "Segments allocated from the device (cudaMalloc)."},
    {"device_frees", count, run, more, "Segments released to the device (cudaFree)."},
    {"units_mapped", count, run, more,
     "Physical units created for expandable segments (cuMemCreate)."},
    {"units_unmapped", count, run, more, "Physical units unmapped and released (cuMemUnmap)."},
    {"device_bytes", bytes, run, more, "Device memory allocated by all calls together."},
    {"device_churn", bytes, run, more,
     "Device memory allocated again after as much had been released."},
    {"alloc_retries", count, run, more,
     "Requests that released everything cached and tried again."},
    {"stream_synchronisations", count, run, more, "Waits for all streams, to release memory."},
    {"device_time", nanoseconds, run, more, "Modelled time of the host in device calls."},
    {"out_of_memory", count, run, more, "Requests that failed."},
    {"host_requests", count, run, neither, "Requests for pinned host memory."},
    {"host_frees", count, run, neither, "Blocks of pinned host memory that the program freed."},
    {"host_peak_requested", bytes, run, more,
     "Pinned host memory that the program asked for and held, at its peak."},
    {"host_peak_active", bytes, run, more,
     "Blocks of pinned host memory in use or waiting for streams, at their peak."},
    {"host_peak_pinned", bytes, run, more, "The peak of pinned host memory, caches included."},
    {"host_end_pinned", bytes, run, more, "Pinned host memory at the end."},
    {"host_allocs", count, run, more, "Calls that obtained pinned host memory from the system."},
    {"host_releases", count, run, more, "Calls that gave pinned host memory back."},
    {"peak_parameters", bytes, kind, more,
     "The peak of parameters, as far as the recording says what blocks hold."},
    {"peak_buffers", bytes, kind, more, "The peak of buffers of modules."},
    {"peak_gradients", bytes, kind, more, "The peak of gradients of parameters."},
    {"peak_optimizer_state", bytes, kind, more, "The peak of optimizers' states."},
    {"peak_inputs", bytes, kind, more, "The peak of inputs of the outermost forward."},
    {"peak_activations", bytes, kind, more, "The peak of what forwards leave for their backward."},
    {"peak_activation_gradients", bytes, kind, more,
     "The peak of gradients of activations, with what a backward needs for them."},
    {"peak_outputs", bytes, kind, more, "The peak of what forwards without gradients leave."},
    {"peak_workspaces", bytes, kind, more, "The peak of workspaces of libraries."},
    {"peak_communication", bytes, kind, more, "The peak of buffers for communication."},
    {"peak_graph_pools", bytes, kind, more, "The peak of memory of CUDA graphs."},
    {"peak_temporary", bytes, kind, more,
     "The peak of blocks that did not outlive the phase they were made in."},
    {"peak_not_labelled", bytes, kind, more, "The peak of blocks of which nothing is known."},
    {"group_growth", bytes, comparison, more, "The most that one call site grew by."},
    {"new_groups", count, comparison, more, "Call sites that hold memory in the new file only."},
    {"gone_groups", count, comparison, neither,
     "Call sites that hold memory in the old file only."},
};

std::int64_t bounded(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? std::numeric_limits<std::int64_t>::max()
               : std::numeric_limits<std::int64_t>::min();
}

}  // namespace

std::string_view metric_unit_name(MetricUnit unit) {
  constexpr std::array<std::string_view, 4> names = {"bytes", "count", "ratio", "nanoseconds"};
  return names.at(static_cast<std::size_t>(unit));
}

std::span<const Metric> all_metrics() { return table; }

const Metric* find_metric(std::string_view name) {
  const auto* const found = std::ranges::find(table, name, &Metric::name);
  return found == std::end(table) ? nullptr : found;
}

const MetricValue* find_value(const MetricValues& values, std::string_view name) {
  const auto found = std::ranges::find(values, name, &MetricValue::name);
  return found == values.end() ? nullptr : &*found;
}

std::int64_t ratio_of(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return 0;
  const long double share = static_cast<long double>(part) / static_cast<long double>(whole);
  return std::llround(share * static_cast<long double>(whole_ratio));
}

MetricValues sum_of_metrics(const std::vector<MetricValues>& devices) {
  MetricValues sum;
  if (devices.empty()) return sum;
  for (const MetricValue& first : devices.front()) {
    MetricValue total{first.name, 0};
    const bool is_known = std::ranges::all_of(devices, [&](const MetricValues& values) {
      const MetricValue* value = find_value(values, first.name);
      if (value != nullptr) total.value = bounded(total.value, value->value);
      return value != nullptr;
    });
    if (is_known) sum.push_back(total);
  }
  return sum;
}

}  // namespace vramlab::replay
