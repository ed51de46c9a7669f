// StreamWorld: a device and its streams, as a program's events drive them. Either streams are
// counters whose work ends when the program says so, or they live in virtual time.
#pragma once

#include <memory>

#include "replay/stream_program.h"
#include "streams/memory_device.h"
#include "traces/program_event.h"

namespace vramlab::replay {

class StreamWorld {
 public:
  StreamWorld() = default;
  StreamWorld(const StreamWorld&) = delete;
  StreamWorld& operator=(const StreamWorld&) = delete;
  virtual ~StreamWorld() = default;

  virtual streams::MemoryDevice& device() = 0;
  /// Of the kinds about streams.
  virtual void apply(const traces::ProgramEvent& event) = 0;
  virtual bool is_capturing(allocator::StreamId stream) const = 0;
};

std::unique_ptr<StreamWorld> make_counted_world(streams::MemoryOptions memory);
/// The program must outlive it; whoever calls begin() on it does so before each event.
std::unique_ptr<StreamWorld> make_timed_world(streams::MemoryOptions memory, StreamProgram& program,
                                              traces::DeviceIndex device);

}  // namespace vramlab::replay
