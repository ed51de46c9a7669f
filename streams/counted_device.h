// CountedDevice: a simulated GPU whose streams all stand for themselves, stream 0 too, and whose
// work has no duration: it ends when the world says so, or when something waits for it. Recorded
// cases run on it. This is the world's half of its door; the other half is the allocator's.
#pragma once

#include "streams/memory_device.h"

namespace vramlab::streams {

class CountedDevice : public MemoryDevice {
 public:
  /// One more piece of work; a node of the graph where the stream captures.
  virtual void submit_work(allocator::StreamId stream) = 0;
  /// All work submitted to the stream so far is done.
  virtual void complete_work(allocator::StreamId stream) = 0;
  virtual void begin_capture(allocator::StreamId stream) = 0;
  virtual void end_capture(allocator::StreamId stream) = 0;
  /// `stream` waits for what `waited` did so far. It matters to captures only.
  virtual void wait_for_other_stream(allocator::StreamId stream, allocator::StreamId waited) = 0;
  virtual bool is_capturing(allocator::StreamId stream) const = 0;

 protected:
  using MemoryDevice::MemoryDevice;
};

}  // namespace vramlab::streams
