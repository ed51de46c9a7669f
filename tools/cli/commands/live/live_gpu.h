// LiveGpu: the GPU of `vramlab live`, through the CUDA driver, which is looked for at run time.
#pragma once

#include <memory>
#include <vector>

#include "replay/replayer/replay_device.h"
#include "streams/live/driven_live_device.h"

namespace vramlab::tools {

/// What the driver itself says of the GPU's memory.
struct DriverMemory {
  Bytes total;
  /// With our context made, and nothing else of ours.
  Bytes free_at_start;
  /// After each call that took memory, the least.
  Bytes least_free;
  /// With everything given back.
  Bytes free_at_end;
};

class LiveGpu {
 public:
  /// Throws std::runtime_error, one sentence, where there is no driver or no such GPU.
  explicit LiveGpu(int index);

  const streams::GpuFacts& facts() const { return facts_; }
  /// With no more memory than this, whatever the GPU has.
  replay::DeviceSides make_device(const streams::MemoryOptions& memory);
  const streams::DriverCallTimings& timings() const { return timings_; }
  /// Requires: all devices that were made are gone.
  DriverMemory memory();
  std::vector<streams::DriverCallRow> calibrate(unsigned repeats) const;

 private:
  const streams::CudaDriver driver_;
  const streams::GpuFacts facts_;
  streams::DriverCallTimings timings_;
  /// Keeps the GPU's context, so that making one is no part of what is measured.
  streams::LiveDevice idle_;
  DriverMemory memory_;
};

}  // namespace vramlab::tools
