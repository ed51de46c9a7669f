// GpuExecutor: makes the calls of a stream program on a real GPU, through CUDA's runtime.
//
// Kernels spin; copies, memsets and host functions are what their names say, with a begin and an
// end noted around them. What nobody made is a null handle. Calls that are not the program's own
// (instantiating a graph, clearing up) are made so that no capture hears of them.
#pragma once

#include "tests/gpu/gpu_board.h"
#include "tests/gpu/gpu_buffers.h"
#include "tests/support/cases/device_answers.h"

namespace vramlab::tests {

class GpuExecutor : public DeviceExecutor {
 public:
  /// A program's nanosecond takes so many on the GPU.
  explicit GpuExecutor(std::uint64_t ns_per_step);

  /// Throws where the GPU can't be used. A call that never returns ends the process.
  DeviceAnswers run(const StreamProgram& program) override;

 private:
  std::uint64_t ns_per_step_;
  GpuBoard board_;
  GpuBuffers buffers_;
};

}  // namespace vramlab::tests
