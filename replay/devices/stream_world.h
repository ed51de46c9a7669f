// StreamWorld: a device and its streams, as a program's events drive them. Either streams are
// counters whose work ends when the program says so, or they live in virtual time.
#pragma once

#include <memory>

#include "replay/devices/steered_device.h"
#include "replay/devices/stream_program.h"
#include "streams/device/memory_device.h"
#include "traces/values/program_event.h"

namespace vramlab::replay {

class StreamWorld {
 public:
  StreamWorld() = default;
  StreamWorld(const StreamWorld&) = delete;
  StreamWorld& operator=(const StreamWorld&) = delete;
  virtual ~StreamWorld() = default;

  virtual allocator::Device& device() = 0;
  virtual const streams::DeviceCallCounts& call_counts() const = 0;
  /// What only a simulated device knows; null on another one.
  virtual const streams::MemoryDevice* simulated() const = 0;
  virtual void set_external_memory(allocator::Bytes size) = 0;
  /// Of the kinds about streams.
  virtual void apply(const traces::ProgramEvent& event) = 0;
  virtual bool is_capturing(allocator::StreamId stream) const = 0;
};

/// Of a device whose work ends when the program says so.
std::unique_ptr<StreamWorld> make_counted_world(SteeredDevice device);
/// The program must outlive it; whoever calls begin() on it does so before each event.
std::unique_ptr<StreamWorld> make_timed_world(streams::MemoryOptions memory, StreamProgram& program,
                                              traces::DeviceIndex device);

}  // namespace vramlab::replay
