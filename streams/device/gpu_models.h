// What is known of GPUs: of a real one, and of named ones how much memory an allocator can get on
// one. Each figure says where it is from.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "allocator/words/bytes.h"

namespace vramlab::streams {

/// What is told of a real GPU, for reports. No CUDA is needed to know of it.
struct GpuFacts {
  int index = 0;
  std::string name;
  int compute_major = 0;
  int compute_minor = 0;
  /// Such as 13000 for CUDA 13.0.
  int driver_version = 0;
  Bytes memory;
};

struct GpuModel {
  std::string_view name;
  /// What a program is told the device has (cudaMemGetInfo). Drivers keep a little for themselves,
  /// not all the same, so it is right to about one part in a hundred.
  Bytes total;
  /// What the process itself takes before the allocator does: context, code of libraries.
  Bytes context;
  /// Device memory comes in whole multiples of this.
  Bytes granularity;
  std::string_view total_source;
  std::string_view context_source;
  std::string_view granularity_source;

  /// What is left for the allocator.
  Bytes available() const { return total - context; }
};

/// By ascending memory.
std::span<const GpuModel> gpu_models();

/// Upper and lower case are one.
const GpuModel* find_gpu(std::string_view name);

}  // namespace vramlab::streams
