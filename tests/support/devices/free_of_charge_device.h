// A device whose calls cost nothing and never fail, so that a measurement shows the allocator
// alone.
#pragma once

#include "allocator/types/device.h"

namespace vramlab::tests {

class FreeOfChargeDevice final : public allocator::Device {
 public:
  allocator::MemoryInfo memory_info() override { return {memory, memory}; }
  std::optional<Address> allocate(Bytes size, StreamId) override {
    return next_place(next_segment_, size);
  }
  void release(Address) override {}
  std::optional<Address> reserve(Bytes size, StreamId) override {
    return next_place(next_reservation_, size);
  }
  void release_reservation(Address, Bytes) override {}
  [[nodiscard]] bool map(const UnitRange&) override { return true; }
  void unmap(const UnitRange&) override {}
  void wait_for_stream(StreamId) override {}
  EventId record_event(StreamId) override { return {}; }
  bool is_complete(EventId) override { return true; }
  void wait_for_event(EventId) override {}
  void forget_event(EventId) override {}
  std::optional<StreamCapture> capture_of(StreamId) override { return {}; }
  std::vector<GraphNode> dependencies_of(GraphNode) override { return {}; }

 private:
  static constexpr Bytes memory{800ULL << 30};
  static constexpr Bytes granularity{2ULL << 20};

  /// Addresses are never used again: one after another is enough for a run.
  static Address next_place(Address& next, Bytes size) {
    const Address place = next;
    next = next + round_up(size, granularity);
    return place;
  }

  Address next_segment_{0x7f0000000000};
  Address next_reservation_{0x300000000000};
};

}  // namespace vramlab::tests
