// WorkClock: when the work on a device's streams ends, from its durations and from what its streams
// wait for. Work begins when it is submitted, when the work before it on its stream is done, and
// when what the stream waits for is done. The host waits for nothing.
#pragma once

#include <cstdint>
#include <map>
#include <queue>
#include <vector>

#include "streams/simulated_device.h"

namespace vramlab::replay {

class WorkClock {
 public:
  explicit WorkClock(streams::SimulatedDevice& device) : device_(device) {}

  /// All work that ends by then is done. Times never go back.
  void advance(std::uint64_t now_ns);
  void submit(allocator::StreamId stream, std::uint64_t duration_ns);
  void complete(allocator::StreamId stream);
  void record_event(allocator::EventId event, allocator::StreamId stream);
  /// An event that was never recorded is waited for by nobody.
  void wait_for_event(allocator::EventId event, allocator::StreamId stream);
  void wait_for_stream(allocator::StreamId stream, allocator::StreamId waited);

 private:
  struct Stream {
    std::uint64_t end_ns = 0;
    std::uint64_t pieces = 0;
  };
  struct Piece {
    std::uint64_t end_ns;
    allocator::StreamId stream;
    /// Which one of its stream, from 1 on.
    std::uint64_t number;
    friend bool operator>(const Piece& a, const Piece& b) {
      return std::tuple(a.end_ns, a.stream, a.number) > std::tuple(b.end_ns, b.stream, b.number);
    }
  };

  streams::SimulatedDevice& device_;
  std::uint64_t now_ns_ = 0;
  std::map<allocator::StreamId, Stream> streams_;
  std::map<allocator::EventId, std::uint64_t> events_;
  std::priority_queue<Piece, std::vector<Piece>, std::greater<>> pieces_;
};

}  // namespace vramlab::replay
