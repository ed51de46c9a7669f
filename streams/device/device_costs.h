// DeviceCosts: the time that the calls of a device take of its host, by size: a table for each GPU.
// DeviceCallTally: the calls that a program made of a device, by kind and size, as counts. Times
// are those of the calls alone: work that a call waits for is no part of them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "allocator/types/bytes_and_ids.h"

namespace vramlab::streams {

enum class DeviceCall : std::uint8_t {
  /// cudaMalloc
  allocate,
  /// cudaFree, without the work that it waits for
  release,
  /// cuMemCreate, a physical unit each
  create,
  /// cuMemMap and cuMemSetAccess, a unit each
  map,
  /// cuMemUnmap and cuMemRelease, a unit each
  unmap,
  /// cudaEventRecord
  record_event,
  /// cudaEventQuery
  query_event,
  /// cudaEventSynchronize and cudaStreamSynchronize, without the work that is waited for
  synchronise,
};
inline constexpr std::size_t device_call_count =
    static_cast<std::size_t>(DeviceCall::synchronise) + 1;
/// Whether the cost of the call depends on a size.
constexpr bool has_size(DeviceCall call) { return call <= DeviceCall::unmap; }

class DeviceCallTally {
 public:
  void add(DeviceCall call) { ++plain_[static_cast<std::size_t>(call)]; }
  void add_often(DeviceCall call, std::uint64_t count) {
    plain_[static_cast<std::size_t>(call)] += count;
  }
  void add(DeviceCall call, Bytes each, std::uint64_t count = 1) {
    if (count > 0) sized_[static_cast<std::size_t>(call)][each] += count;
  }
  std::uint64_t count(DeviceCall call) const;
  /// For a call that has a size: the number of calls of each size.
  const std::map<Bytes, std::uint64_t>& by_size(DeviceCall call) const {
    return sized_[static_cast<std::size_t>(call)];
  }
  /// The calls that came after `before`.
  DeviceCallTally since(const DeviceCallTally& before) const;
  friend bool operator==(const DeviceCallTally&, const DeviceCallTally&) = default;

 private:
  std::array<std::uint64_t, device_call_count> plain_{};
  std::array<std::map<Bytes, std::uint64_t>, device_call_count> sized_;
};

struct CallCost {
  DeviceCall call = DeviceCall::allocate;
  /// 0 for calls without a size.
  Bytes bytes;
  std::uint64_t nanoseconds = 0;
  friend bool operator==(const CallCost&, const CallCost&) = default;
};

class DeviceCosts {
 public:
  /// `origin` says where the figures come from. Rows stand in any order, at most one for each call
  /// and size; a call without rows costs nothing.
  DeviceCosts(std::string origin, std::vector<CallCost> rows);

  /// Between two sizes, the cost on the line through them; beyond the last size, on the same line;
  /// below the first size, the cost of the first.
  std::uint64_t nanoseconds_of(DeviceCall call, Bytes bytes) const;
  /// The time of all calls together.
  std::uint64_t nanoseconds_of(const DeviceCallTally& tally) const;

  const std::string& origin() const { return origin_; }
  /// By call, then by size.
  const std::vector<CallCost>& rows() const { return rows_; }

 private:
  std::string origin_;
  std::vector<CallCost> rows_;
};

/// Estimates for GPUs that nobody measured: the same for every GPU, of the order that public
/// reports have. They are good enough to tell ten calls from a thousand.
const DeviceCosts& estimated_costs();

}  // namespace vramlab::streams
