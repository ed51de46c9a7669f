// Many copies in one call, which the versions of CUDA declare differently.
#pragma once

#include "tools/cuda_standins/runtime/runtime_driver.h"

namespace vramlab::dry_run {

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
