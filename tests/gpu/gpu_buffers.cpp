#include "tests/gpu/gpu_buffers.h"

#include "tests/gpu/gpu_board.h"

namespace vramlab::tests {

GpuBuffers::GpuBuffers() : pageable_(bytes) {
  require_success(cudaMalloc(&device_, bytes), "cudaMalloc");
  require_success(cudaMalloc(&other_device_, bytes), "cudaMalloc");
  require_success(cudaHostAlloc(&pinned_, bytes, cudaHostAllocDefault), "cudaHostAlloc");
}

GpuBuffers::~GpuBuffers() {
  static_cast<void>(cudaFree(device_));
  static_cast<void>(cudaFree(other_device_));
  static_cast<void>(cudaFreeHost(pinned_));
}

}  // namespace vramlab::tests
