// PlacedWorld: the simulated device and streams under an allocator that replays, and how an
// allocator takes over what was there at the start: every range then goes where it is in that
// state.
#pragma once

#include <memory>
#include <optional>

#include "allocator/words/directed.h"
#include "replay/devices/stream_world.h"
#include "replay/run/history_program.h"

namespace vramlab::replay {

struct DeviceConditions;

class PlacedWorld {
 public:
  /// The conditions must outlive it.
  PlacedWorld(const DeviceConditions& conditions, traces::DeviceIndex device);

  StreamWorld& streams() { return *world_; }
  const StreamWorld& streams() const { return *world_; }
  allocator::Device& device() { return world_->device(); }

  /// The program says what others hold; where the conditions say it, that holds.
  void set_external(allocator::Bytes size);

  /// The device's side of a segment that is there at the start, and where it begins now. Throws
  /// DeviceError where it does not fit.
  allocator::Address adopt(allocator::GivenSegment segment);
  /// Calls so far were for what was there at the start: they count no more.
  void start_is_there();

  /// Since then.
  streams::DeviceCallCounts call_counts() const {
    return world_->call_counts().since(counts_at_start_);
  }
  /// Since then. Requires: the device is a simulated one.
  streams::DeviceCallTally call_tally() const;

 private:
  streams::MemoryOptions memory_options(const DeviceConditions& conditions);
  allocator::Address lay_out(const allocator::GivenSegment& segment);
  void map_blocks_of(const allocator::GivenSegment& segment);

  /// Where the next range goes while a starting state is taken over.
  std::optional<allocator::Address> forced_;
  const DeviceConditions& conditions_;
  std::unique_ptr<StreamWorld> world_;
  streams::DeviceCallCounts counts_at_start_;
  streams::DeviceCallTally tally_at_start_;
};

}  // namespace vramlab::replay
