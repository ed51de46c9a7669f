#include "streams/device/device_costs.h"

#include <algorithm>
#include <limits>
#include <span>

namespace vramlab::streams {

std::uint64_t DeviceCallTally::count(DeviceCall call) const {
  std::uint64_t sum = plain_[static_cast<std::size_t>(call)];
  for (const auto& [size, count] : by_size(call)) sum += count;
  return sum;
}

DeviceCallTally DeviceCallTally::since(const DeviceCallTally& before) const {
  DeviceCallTally later;
  for (std::size_t call = 0; call < device_call_count; ++call) {
    later.plain_[call] = plain_[call] - before.plain_[call];
    for (const auto& [size, count] : sized_[call]) {
      const auto earlier = before.sized_[call].find(size);
      later.add(static_cast<DeviceCall>(call), size,
                earlier == before.sized_[call].end() ? count : count - earlier->second);
    }
  }
  return later;
}

namespace {

/// Holds products of a time and a size.
__extension__ using Wide = __int128;

/// In whole numbers: those with a point have other last digits on other processors.
std::uint64_t on_line(const CallCost& low, const CallCost& high, Bytes bytes) {
  const Wide run = (high.bytes - low.bytes).count;
  const Wide rise = Wide{high.nanoseconds} - Wide{low.nanoseconds};
  const Wide at = (Wide{low.nanoseconds} * run + rise * Wide{(bytes - low.bytes).count}) / run;
  return static_cast<std::uint64_t>(
      std::clamp<Wide>(at, 0, std::numeric_limits<std::int64_t>::max()));
}

}  // namespace

DeviceCosts::DeviceCosts(std::string origin, std::vector<CallCost> rows)
    : origin_(std::move(origin)), rows_(std::move(rows)) {
  std::ranges::sort(rows_, [](const CallCost& a, const CallCost& b) {
    return a.call != b.call ? a.call < b.call : a.bytes < b.bytes;
  });
}

std::uint64_t DeviceCosts::nanoseconds_of(DeviceCall call, Bytes bytes) const {
  const auto first = std::ranges::lower_bound(rows_, call, {}, &CallCost::call);
  const auto end = std::ranges::upper_bound(first, rows_.end(), call, {}, &CallCost::call);
  const std::span of_call(first, end);
  if (of_call.empty()) return 0;
  const auto above = std::ranges::lower_bound(of_call, bytes, {}, &CallCost::bytes);
  if (above == of_call.begin() || of_call.size() == 1) return of_call.front().nanoseconds;
  const auto high = above == of_call.end() ? std::prev(above) : above;
  return on_line(*std::prev(high), *high, bytes);
}

std::uint64_t DeviceCosts::nanoseconds_of(const DeviceCallTally& tally) const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < device_call_count; ++i) {
    const auto call = static_cast<DeviceCall>(i);
    if (!has_size(call)) sum += tally.count(call) * nanoseconds_of(call, {});
    for (const auto& [bytes, count] : tally.by_size(call))
      sum += count * nanoseconds_of(call, bytes);
  }
  return sum;
}

const DeviceCosts& estimated_costs() {
  using enum DeviceCall;
  static const DeviceCosts costs("estimates, not measured", {{allocate, mebibytes(2), 100'000},
                                                             {allocate, mebibytes(20), 150'000},
                                                             {allocate, mebibytes(1024), 1'000'000},
                                                             {release, mebibytes(2), 100'000},
                                                             {release, mebibytes(20), 150'000},
                                                             {release, mebibytes(1024), 800'000},
                                                             {create, mebibytes(2), 30'000},
                                                             {create, mebibytes(20), 50'000},
                                                             {map, mebibytes(2), 50'000},
                                                             {map, mebibytes(20), 60'000},
                                                             {unmap, mebibytes(2), 50'000},
                                                             {unmap, mebibytes(20), 70'000},
                                                             {record_event, {}, 2'000},
                                                             {query_event, {}, 1'000},
                                                             {synchronise, {}, 5'000}});
  return costs;
}

}  // namespace vramlab::streams
