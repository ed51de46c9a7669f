// SimulatedDevice: a GPU as small as it can be and still exact: bytes, addresses, and streams as
// counters of work. It stands behind the allocator's Device seam; the other half of its door is the
// world's: work, other users of the memory, captures.
#pragma once

#include <cstdint>

#include "allocator/device.h"
#include "streams/counted_streams.h"
#include "streams/graph_capture.h"
#include "streams/simulated_memory.h"

namespace vramlab::streams {

/// How many device calls succeeded, by what they are on a real device.
struct DeviceCallCounts {
  /// cudaMalloc
  std::uint64_t allocations = 0;
  /// cudaFree
  std::uint64_t releases = 0;
  /// cuMemCreate; also units given back because a later one of the same call did not fit.
  std::uint64_t units_created = 0;
  /// cudaEventSynchronize; also waits for events that were complete already.
  std::uint64_t event_waits = 0;
  friend bool operator==(const DeviceCallCounts&, const DeviceCallCounts&) = default;
};

class SimulatedDevice final : public allocator::Device {
 public:
  explicit SimulatedDevice(MemoryOptions options) : memory_(std::move(options)) {}
  explicit SimulatedDevice(allocator::Bytes total)
      : SimulatedDevice(MemoryOptions{.total = total}) {}

  // The allocator's side.
  allocator::MemoryInfo memory_info() override { return memory_.info(); }
  std::optional<allocator::Address> allocate(allocator::Bytes size,
                                             allocator::StreamId stream) override;
  void release(allocator::Address at) override;
  std::optional<allocator::Address> reserve(allocator::Bytes size,
                                            allocator::StreamId stream) override;
  void release_reservation(allocator::Address at, allocator::Bytes size) override;
  [[nodiscard]] bool map(const allocator::UnitRange& range) override;
  void unmap(const allocator::UnitRange& range) override;
  void wait_for_stream(allocator::StreamId stream) override { streams_.complete(stream); }
  allocator::EventId record_event(allocator::StreamId stream) override;
  bool is_complete(allocator::EventId event) override { return streams_.is_complete(event); }
  void wait_for_event(allocator::EventId event) override;
  void forget_event(allocator::EventId event) override { streams_.forget_event(event); }
  std::optional<allocator::StreamCapture> capture_of(allocator::StreamId stream) override;
  std::vector<allocator::GraphNode> dependencies_of(allocator::GraphNode node) override;

  // The world's side.
  /// One more piece of work; a node of the graph where the stream captures.
  void submit_work(allocator::StreamId stream);
  /// All work submitted to the stream so far is done.
  void complete_work(allocator::StreamId stream) { streams_.complete(stream); }
  /// The first so many pieces of it are done.
  void complete_first_work(allocator::StreamId stream, std::uint64_t pieces) {
    streams_.complete_first(stream, pieces);
  }
  void set_external_memory(allocator::Bytes size) { memory_.set_external(size); }
  void begin_capture(allocator::StreamId stream) { captures_.begin(stream); }
  void end_capture(allocator::StreamId stream) { captures_.end(stream); }
  /// `stream` waits for what `waited` did so far. It matters to captures only.
  void wait_for_other_stream(allocator::StreamId stream, allocator::StreamId waited);

  // What can be seen from outside.
  bool is_capturing(allocator::StreamId stream) const { return captures_.is_capturing(stream); }
  bool has_pending_work(allocator::StreamId stream) const;
  allocator::Bytes used_memory() const { return memory_.used(); }
  std::size_t event_count() const { return streams_.event_count(); }
  const DeviceCallCounts& call_counts() const { return call_counts_; }

 private:
  SimulatedMemory memory_;
  CountedStreams streams_;
  GraphCaptures captures_;
  DeviceCallCounts call_counts_;
};

}  // namespace vramlab::streams
