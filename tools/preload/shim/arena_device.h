// ArenaDevice: the allocator's device seam inside an arena. Memory is the supply's; an event is the
// fence that the arena has at hand when it gives a block back. Nothing here waits.
#pragma once

#include "allocator/words/device.h"
#include "tools/preload/segments/segment_growth.h"

namespace vramlab::shim {

/// All blocks belong to one stream, and a fence stands for all streams that may have used one.
inline constexpr allocator::StreamId owner_stream{0};
inline constexpr allocator::StreamId fence_stream{1};

class ArenaDevice final : public allocator::Device {
 public:
  ArenaDevice(SegmentSupply& supply, FencePool& fences)
      : supply_(supply), growth_(supply), fences_(fences) {}

  /// The next event that is recorded.
  void have_at_hand(Fence& fence) { at_hand_ = &fence; }

  allocator::MemoryInfo memory_info() override { return supply_.info(); }
  std::optional<allocator::Address> allocate(allocator::Bytes size, allocator::StreamId) override {
    return supply_.allocate(size);
  }
  void release(allocator::Address at) override { supply_.release(at); }

  std::optional<allocator::Address> reserve(allocator::Bytes size, allocator::StreamId) override {
    return growth_.reserve(size);
  }
  void release_reservation(allocator::Address at, allocator::Bytes) override {
    supply_.release_reservation(at);
  }
  [[nodiscard]] bool map(const allocator::UnitRange& range) override { return growth_.map(range); }
  void unmap(const allocator::UnitRange& range) override { supply_.unmap(range); }

  /// What the allocator would wait for is over: freed blocks come back when their fence is
  /// complete.
  void wait_for_stream(allocator::StreamId) override {}
  allocator::EventId record_event(allocator::StreamId) override;
  bool is_complete(allocator::EventId event) override;
  /// The supply has waited by then; what it could not wait for is a DeviceError.
  void wait_for_event(allocator::EventId event) override;
  void forget_event(allocator::EventId event) override;

  std::optional<allocator::StreamCapture> capture_of(allocator::StreamId) override {
    return std::nullopt;
  }
  std::vector<allocator::GraphNode> dependencies_of(allocator::GraphNode) override { return {}; }

 private:
  SegmentSupply& supply_;
  SegmentGrowth growth_;
  FencePool& fences_;
  Fence* at_hand_ = nullptr;
};

}  // namespace vramlab::shim
