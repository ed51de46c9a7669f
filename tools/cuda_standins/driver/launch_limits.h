// What decides how many blocks of a kernel run at once: the limits of the GPU, which CUDA's
// programming guide documents, and the facts of the kernel.
#pragma once

#include "streams/device/gpu_models.h"
#include "tools/cuda_standins/code/kernel_facts.h"
#include "tools/cuda_standins/model/kernel_names.h"

namespace vramlab::dry_run {

/// Shared memory beyond this has to be asked for.
inline constexpr int shared_bytes_of_every_block = 48 << 10;

MultiprocessorLimits limits_of(const streams::GpuProperties& gpu);

/// Those of an average kernel if nothing is known.
KernelFacts known_facts(const NamedKernel& kernel);

}  // namespace vramlab::dry_run
