// DeviceCallTally: which calls a program made of a device, by kind and size. Counts alone: what
// they cost on some GPU is for device_costs.
#pragma once

#include <array>
#include <cstdint>
#include <map>

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
/// Whether what it costs depends on a size.
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
  /// For a call that has a size: how many of each.
  const std::map<Bytes, std::uint64_t>& by_size(DeviceCall call) const {
    return sized_[static_cast<std::size_t>(call)];
  }
  /// Those that came after `before`.
  DeviceCallTally since(const DeviceCallTally& before) const;
  friend bool operator==(const DeviceCallTally&, const DeviceCallTally&) = default;

 private:
  std::array<std::uint64_t, device_call_count> plain_{};
  std::array<std::map<Bytes, std::uint64_t>, device_call_count> sized_;
};

}  // namespace vramlab::streams
