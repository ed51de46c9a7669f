// DrivenDevice: the program's side of a device whose work ends when the program says so: what
// programs do on it beside asking for memory. The allocator's side is `Device`; a simulated device
// and a real GPU have both.
#pragma once

#include "allocator/types/bytes_and_ids.h"
#include "allocator/types/check.h"

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
  /// Those that came after `before`.
  DeviceCallCounts since(const DeviceCallCounts& before) const {
    return {allocations - before.allocations, releases - before.releases,
            units_created - before.units_created, event_waits - before.event_waits};
  }
};

class DrivenDevice : public Interface {
 public:
  /// One more piece of work; a node of the graph where the stream captures.
  virtual void submit_work(StreamId stream) = 0;
  /// All work submitted to the stream so far is done.
  virtual void complete_work(StreamId stream) = 0;
  virtual void begin_capture(StreamId stream) = 0;
  virtual void end_capture(StreamId stream) = 0;
  /// `stream` waits for what `waited` did so far. It matters to captures only.
  virtual void wait_for_other_stream(StreamId stream, StreamId waited) = 0;
  virtual bool is_capturing(StreamId stream) const = 0;
  /// What other users of the device hold from now on.
  virtual void set_external_memory(Bytes size) = 0;
  virtual const DeviceCallCounts& call_counts() const = 0;
};

}  // namespace vramlab::streams
