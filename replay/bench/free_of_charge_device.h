// A device whose calls cost nothing and never fail, so that a measurement shows the allocator
// alone.
#pragma once

#include "allocator/words/device.h"

namespace vramlab::replay {

class FreeOfChargeDevice final : public allocator::Device {
 public:
  allocator::MemoryInfo memory_info() override { return {memory, memory}; }
  std::optional<allocator::Address> allocate(allocator::Bytes size, allocator::StreamId) override {
    return next_place(next_segment_, size);
  }
  void release(allocator::Address) override {}
  std::optional<allocator::Address> reserve(allocator::Bytes size, allocator::StreamId) override {
    return next_place(next_reservation_, size);
  }
  void release_reservation(allocator::Address, allocator::Bytes) override {}
  [[nodiscard]] bool map(const allocator::UnitRange&) override { return true; }
  void unmap(const allocator::UnitRange&) override {}
  void wait_for_stream(allocator::StreamId) override {}
  allocator::EventId record_event(allocator::StreamId) override { return {}; }
  bool is_complete(allocator::EventId) override { return true; }
  void wait_for_event(allocator::EventId) override {}
  void forget_event(allocator::EventId) override {}
  std::optional<allocator::StreamCapture> capture_of(allocator::StreamId) override { return {}; }
  std::vector<allocator::GraphNode> dependencies_of(allocator::GraphNode) override { return {}; }

 private:
  static constexpr allocator::Bytes memory{800ULL << 30};
  static constexpr allocator::Bytes granularity{2ULL << 20};

  /// Addresses are never used again: one after another is enough for a run.
  static allocator::Address next_place(allocator::Address& next, allocator::Bytes size) {
    const allocator::Address place = next;
    next = next + round_up(size, granularity);
    return place;
  }

  allocator::Address next_segment_{0x7f0000000000};
  allocator::Address next_reservation_{0x300000000000};
};

}  // namespace vramlab::replay
