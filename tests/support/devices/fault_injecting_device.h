// FaultInjectingDevice: passes every call on to another device, but fails the n-th one. With no
// fault set it only counts. forget_event() always succeeds and is not counted: it cannot fail.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "allocator/types/device.h"

namespace vramlab::tests {

enum class FaultStyle : std::uint8_t {
  /// allocate, reserve and map answer that there is no room; the others throw DeviceError.
  out_of_memory_where_possible,
  /// Every call throws DeviceError.
  always_an_error,
};

struct Fault {
  /// The first call is 1.
  std::uint64_t call = 0;
  FaultStyle style = FaultStyle::out_of_memory_where_possible;
};

class FaultInjectingDevice final : public allocator::Device {
 public:
  explicit FaultInjectingDevice(allocator::Device& device) : device_(device) {}

  /// Counts calls from now on.
  void set_fault(std::optional<Fault> fault);
  std::uint64_t call_count() const { return call_count_; }
  bool has_failed() const { return has_failed_; }

  allocator::MemoryInfo memory_info() override;
  std::optional<allocator::Address> allocate(allocator::Bytes size,
                                             allocator::StreamId stream) override;
  void release(allocator::Address at) override;
  std::optional<allocator::Address> reserve(allocator::Bytes size,
                                            allocator::StreamId stream) override;
  void release_reservation(allocator::Address at, allocator::Bytes size) override;
  [[nodiscard]] bool map(const allocator::UnitRange& range) override;
  void unmap(const allocator::UnitRange& range) override;
  void wait_for_stream(allocator::StreamId stream) override;
  allocator::EventId record_event(allocator::StreamId stream) override;
  bool is_complete(allocator::EventId event) override;
  void wait_for_event(allocator::EventId event) override;
  void forget_event(allocator::EventId event) override;
  std::optional<allocator::StreamCapture> capture_of(allocator::StreamId stream) override;
  std::vector<allocator::GraphNode> dependencies_of(allocator::GraphNode node) override;

 private:
  /// Counts a call that can answer "no room"; true where it must.
  bool answers_no_room();
  /// Counts a call that can only succeed or throw.
  void throw_if_due();
  bool is_due();

  allocator::Device& device_;
  std::optional<Fault> fault_;
  std::uint64_t call_count_ = 0;
  bool has_failed_ = false;
};

}  // namespace vramlab::tests
