// Named GPUs: how much memory an allocator can get on one. Each figure says where it is from.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "allocator/words/bytes.h"

namespace vramlab::streams {

struct GpuModel {
  std::string_view name;
  /// What a program is told the device has (cudaMemGetInfo). Drivers keep a little for themselves,
  /// not all the same, so it is right to about one part in a hundred.
  allocator::Bytes total;
  /// What the process itself takes before the allocator does: context, code of libraries.
  allocator::Bytes context;
  /// Device memory comes in whole multiples of this.
  allocator::Bytes granularity;
  std::string_view total_source;
  std::string_view context_source;
  std::string_view granularity_source;

  /// What is left for the allocator.
  allocator::Bytes available() const { return total - context; }
};

/// By ascending memory.
std::span<const GpuModel> gpu_models();

/// Upper and lower case are one.
const GpuModel* find_gpu(std::string_view name);

}  // namespace vramlab::streams
