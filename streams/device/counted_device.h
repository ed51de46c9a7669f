// CountedDevice: a simulated GPU whose streams all stand for themselves, stream 0 too, and whose
// work has no duration: it ends when the world says so, or when something waits for it. Recorded
// cases run on it.
#pragma once

#include "streams/device/device_world.h"
#include "streams/device/memory_device.h"

namespace vramlab::streams {

class CountedDevice : public MemoryDevice, public DeviceWorld {
 public:
  void set_external_memory(allocator::Bytes size) final { MemoryDevice::set_external_memory(size); }
  const DeviceCallCounts& call_counts() const final { return MemoryDevice::call_counts(); }

 protected:
  using MemoryDevice::MemoryDevice;
};

}  // namespace vramlab::streams
