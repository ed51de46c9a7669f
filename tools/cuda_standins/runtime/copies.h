// Copies as the driver takes them: of two and three dimensions, and many in one call.
#pragma once

#include "tools/cuda_standins/runtime/runtime_driver.h"

namespace vramlab::dry_run {

/// Memory whose address tells where it lies.
DriverEnd2D memory_end(const void* at, std::size_t pitch);
DriverEnd2D array_end(cudaArray_t array, std::size_t x_bytes, std::size_t y);

/// The bytes of one element, or 0 where the driver doesn't know the array.
std::size_t element_bytes(const RuntimeDriver& driver, cudaArray_t array);

DriverCopy3D as_driver(const RuntimeDriver& driver, const cudaMemcpy3DParms& copy);
DriverCopy3D as_driver(const RuntimeDriver& driver, const cudaMemcpy3DPeerParms& copy);

// Many copies in one call, which the versions of CUDA declare differently.

struct CopyBatch {
  void* const* to;
  const void* const* from;
  const size_t* bytes;
  size_t count;
  cudaStream_t stream;
};

/// One after another; `failed` is told which one failed, where the caller wants to know.
int copy_batch(DefaultStream variant, const CopyBatch& batch, size_t* failed);

}  // namespace vramlab::dry_run
