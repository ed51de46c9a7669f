#include "streams/device_calls.h"

namespace vramlab::streams {

std::string_view device_call_name(DeviceCall call) {
  constexpr std::array<std::string_view, device_call_count> names = {
      "allocate", "release",      "create",      "map",
      "unmap",    "record_event", "query_event", "synchronise"};
  return names[static_cast<std::size_t>(call)];
}

std::uint64_t DeviceCallTally::count(DeviceCall call) const {
  std::uint64_t sum = plain_[static_cast<std::size_t>(call)];
  for (const auto& [size, count] : by_size(call)) sum += count;
  return sum;
}

}  // namespace vramlab::streams
