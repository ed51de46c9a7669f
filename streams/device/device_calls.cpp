#include "streams/device/device_calls.h"

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

}  // namespace vramlab::streams
