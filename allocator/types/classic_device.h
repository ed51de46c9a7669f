// ClassicDevice: the base of a device that gives memory in whole segments alone. It has no ranges
// of addresses, its work is over at once, and nothing is captured on it. memory_info(), allocate()
// and release() are left to write; whatever else such a device can do may be overridden.
//
// Expandable segments need ranges of addresses: a request under that option is a DeviceError.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "allocator/types/bytes_and_ids.h"
#include "allocator/types/device.h"

namespace vramlab::allocator {

class ClassicDevice : public Device {
 public:
  std::optional<Address> reserve(Bytes /*size*/, StreamId /*stream*/) override { refuse_ranges(); }
  void release_reservation(Address /*at*/, Bytes /*size*/) override { refuse_ranges(); }
  [[nodiscard]] bool map(const UnitRange& /*range*/) override { refuse_ranges(); }
  void unmap(const UnitRange& /*range*/) override { refuse_ranges(); }

  void wait_for_stream(StreamId /*stream*/) override {}
  EventId record_event(StreamId /*stream*/) override { return {next_event_++}; }
  bool is_complete(EventId /*event*/) override { return true; }
  void wait_for_event(EventId /*event*/) override {}
  void forget_event(EventId /*event*/) override {}

  std::optional<StreamCapture> capture_of(StreamId /*stream*/) override { return std::nullopt; }
  std::vector<GraphNode> dependencies_of(GraphNode /*node*/) override { return {}; }

 private:
  [[noreturn]] static void refuse_ranges() {
    throw DeviceError("this device has no ranges of addresses, which expandable_segments needs");
  }

  std::uint64_t next_event_ = 0;
};

}  // namespace vramlab::allocator

/// Every folder speaks of these, so they need no prefix.
namespace vramlab {
using allocator::ClassicDevice;
}  // namespace vramlab
