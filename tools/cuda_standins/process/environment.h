// The settings of a dry run from the environment: VRAMLAB_DRY_RUN_GPU, _GPUS, _MEMORY, _HELD,
// _KERNEL_NS, _SEGMENTS, _VALUES, _SHARED and _NOTES; and CUDA_VISIBLE_DEVICES.
#pragma once

#include <cstdint>
#include <string>

#include "tools/cuda_standins/model/driver_options.h"

namespace vramlab::dry_run {

struct DryRunSettings {
  DriverOptions driver;
  /// Bytes that other users of each device hold.
  std::uint64_t held_bytes = 0;
  /// The folder for notes; empty for none.
  std::string notes_folder;
};

/// How many GPUs the machine has, whichever of them the process may see (CUDA_VISIBLE_DEVICES). It
/// throws as below.
std::uint32_t gpu_count_from_environment();

/// Throws std::runtime_error for a variable with a wrong value.
DryRunSettings settings_from_environment();

}  // namespace vramlab::dry_run
