// LiveGpu: the GPU of `vramlab live`, as far as the rest of the program knows of it.
#pragma once

#include <memory>
#include <vector>

#include "replay/devices/device_sides.h"
#include "streams/device/driver_calls.h"
#include "streams/device/gpu_models.h"

namespace vramlab::tools {

/// What the driver itself says of the GPU's memory.
struct DriverMemory {
  allocator::Bytes total;
  /// With our context made, and nothing else of ours.
  allocator::Bytes free_at_start;
  /// After each call that took memory, the least.
  allocator::Bytes least_free;
  /// With everything given back.
  allocator::Bytes free_at_end;
};

class LiveGpu {
 public:
  LiveGpu() = default;
  LiveGpu(const LiveGpu&) = delete;
  LiveGpu& operator=(const LiveGpu&) = delete;
  virtual ~LiveGpu() = default;

  virtual const streams::GpuFacts& facts() const = 0;
  /// With no more memory than this, whatever the GPU has.
  virtual replay::DeviceSides make_device(const streams::MemoryOptions& memory) = 0;
  virtual const streams::DriverCallTimings& timings() const = 0;
  /// Requires: all devices that were made are gone.
  virtual DriverMemory memory() = 0;
  virtual std::vector<streams::CalibratedCall> calibrate(unsigned repeats) = 0;
};

/// Throws std::runtime_error, one sentence, where there is no driver or no such GPU.
std::unique_ptr<LiveGpu> open_live_gpu(int index);

}  // namespace vramlab::tools
