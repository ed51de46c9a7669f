#include "streams/device_calls.h"

namespace vramlab::streams {

std::uint64_t DeviceCallTally::count(DeviceCall call) const {
  std::uint64_t sum = plain_[static_cast<std::size_t>(call)];
  for (const auto& [size, count] : by_size(call)) sum += count;
  return sum;
}

}  // namespace vramlab::streams
