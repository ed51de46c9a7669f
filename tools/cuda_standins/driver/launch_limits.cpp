#include "tools/cuda_standins/driver/launch_limits.h"

namespace vramlab::dry_run {

MultiprocessorLimits limits_of(const streams::GpuProperties& gpu) {
  constexpr int registers_per_sm = 65536;
  // The system has some shared memory of each block on these.
  const std::size_t reserved = gpu.compute_major >= 8 ? 1024 : 0;
  return {gpu.compute_capability(),
          gpu.threads_per_sm,
          gpu.blocks_per_sm,
          registers_per_sm,
          static_cast<std::size_t>(gpu.shared_bytes_per_sm),
          static_cast<std::size_t>(gpu.shared_bytes_per_block_optin),
          reserved};
}

KernelFacts known_facts(const NamedKernel& kernel) {
  constexpr int usual_registers = 32;
  return kernel.facts.value_or(KernelFacts{usual_registers});
}

}  // namespace vramlab::dry_run
