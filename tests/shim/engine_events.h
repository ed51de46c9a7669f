// EngineEvents: what an engine did, told by what can be seen of it: what it asked of the driver and
// gave back, in order, and where blocks were cut, merged, taken and freed. Two engines that decide
// the same have the same events, and the first that differs is a line that can be read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "allocator/snapshot.h"
#include "streams/simulated_device.h"

namespace vramlab::tests {

using EngineEvents = std::vector<std::string>;

/// A request to the driver, or memory that went back to it.
struct DriverEvent {
  /// Nothing was asked for: it went back.
  std::optional<std::uint64_t> asked_bytes;
  /// Nothing: refused.
  std::optional<std::uint64_t> at;
};

/// Says what was asked of one driver and given back, with a number for each piece of memory.
class DriverStory {
 public:
  std::string text_of(const DriverEvent& event);

 private:
  std::map<std::uint64_t, std::uint64_t> numbers_;
  std::uint64_t granted_ = 0;
};

/// Addresses are told as their distance from `origin`. What became of the blocks from one state to
/// the other: cut, merged, come, gone, or otherwise used.
EngineEvents block_events(const allocator::Snapshot& before, const allocator::Snapshot& after,
                          std::uint64_t origin);

/// A simulated device that notes what is asked of it.
class WatchedDevice final : public allocator::Device {
 public:
  explicit WatchedDevice(std::uint64_t memory) : device_(allocator::Bytes{memory}) {}

  streams::SimulatedDevice& device() { return device_; }
  std::vector<DriverEvent>& events() { return events_; }

  std::optional<allocator::Address> allocate(allocator::Bytes size,
                                             allocator::StreamId stream) override;
  void release(allocator::Address at) override;

  allocator::MemoryInfo memory_info() override { return device_.memory_info(); }
  std::optional<allocator::Address> reserve(allocator::Bytes size,
                                            allocator::StreamId stream) override {
    return device_.reserve(size, stream);
  }
  void release_reservation(allocator::Address at, allocator::Bytes size) override {
    device_.release_reservation(at, size);
  }
  bool map(const allocator::UnitRange& range) override { return device_.map(range); }
  void unmap(const allocator::UnitRange& range) override { device_.unmap(range); }
  void wait_for_stream(allocator::StreamId stream) override { device_.wait_for_stream(stream); }
  allocator::EventId record_event(allocator::StreamId stream) override {
    return device_.record_event(stream);
  }
  bool is_complete(allocator::EventId event) override { return device_.is_complete(event); }
  void wait_for_event(allocator::EventId event) override { device_.wait_for_event(event); }
  void forget_event(allocator::EventId event) override { device_.forget_event(event); }
  std::optional<allocator::StreamCapture> capture_of(allocator::StreamId stream) override {
    return device_.capture_of(stream);
  }
  std::vector<allocator::GraphNode> dependencies_of(allocator::GraphNode node) override {
    return device_.dependencies_of(node);
  }

 private:
  streams::SimulatedDevice device_;
  std::vector<DriverEvent> events_;
};

}  // namespace vramlab::tests
