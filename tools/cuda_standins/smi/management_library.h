// ManagementLibrary: what `libnvidia-ml.so.1` tells of the GPUs, found at run time, so that this
// program is built without NVIDIA's headers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vramlab::dry_run {

struct ToldGpu {
  unsigned index = 0;
  std::string name;
  std::string uuid;
  /// Such as 8.0; empty where it is not told.
  std::string compute_capability;
  std::uint64_t total_bytes = 0;
  std::uint64_t used_bytes = 0;
  std::uint64_t free_bytes = 0;
};

struct ToldSystem {
  std::string driver_version;
  /// Such as 13.0.
  std::string cuda_version;
  std::vector<ToldGpu> gpus;
};

/// Throws std::runtime_error where there is no such library, or it does not answer.
ToldSystem ask_management_library();

}  // namespace vramlab::dry_run
