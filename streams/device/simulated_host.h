// SimulatedHost: the system behind the allocator of pinned memory. It places memory at the lowest
// gap of two ranges of addresses, counts what is pinned, keeps a clock that only its calls move,
// and has counted streams. It notes every call.
#pragma once

#include <set>
#include <unordered_map>
#include <vector>

#include "allocator/pinned/host_memory.h"
#include "allocator/types/host_values.h"
#include "streams/device/simulated_device.h"
#include "streams/memory/free_gaps.h"

namespace vramlab::streams {

class SimulatedHost final : public allocator::HostSystem {
 public:
  SimulatedHost();

  std::optional<Address> obtain(Bytes size, allocator::PinnedBy way) override;
  void release(Address at, allocator::PinnedBy way) override;
  std::uint64_t time_us() override { return time_us_; }

  EventId record_event(StreamId stream) override;
  bool is_complete(EventId event) override { return streams_.is_complete(event); }
  void forget_event(EventId event) override { streams_.forget_event(event); }
  bool is_capturing(StreamId stream) const override { return capturing_.contains(stream); }

  CountedStreams& streams() { return streams_; }
  const CountedStreams& streams() const { return streams_; }
  void set_capturing(StreamId stream, bool captures);
  /// Whether events can't be recorded on the stream.
  void set_failing(StreamId stream, bool fails);
  /// Requests that would bring the pinned bytes above this limit fail.
  void set_limit(Bytes limit) { limit_ = limit; }
  Bytes pinned() const { return pinned_; }
  const std::vector<HostSystemCall>& calls() const { return calls_; }

 private:
  struct Memory {
    Bytes size;
    allocator::PinnedBy way;
  };
  std::optional<Address> place(FreeGaps& gaps, Bytes size);
  bool has_room(Bytes size) const;
  void book(Bytes size) { time_us_ += size.count >> 20; }
  void note(HostSystemAction action, Address at, Bytes size) {
    calls_.push_back({action, at, size});
  }

  FreeGaps pinned_range_;
  FreeGaps ordinary_range_;
  std::unordered_map<std::uint64_t, Memory> memory_;
  Bytes pinned_;
  Bytes limit_{UINT64_MAX};
  std::uint64_t time_us_ = 0;
  CountedStreams streams_;
  std::set<StreamId> capturing_;
  std::set<StreamId> failing_;
  std::vector<HostSystemCall> calls_;
};

}  // namespace vramlab::streams
