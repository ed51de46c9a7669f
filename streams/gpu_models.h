// Named GPUs: how much memory a program sees on one. Drivers keep a little for themselves, not all
// the same, so the figures are right to about one part in a hundred.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "allocator/bytes.h"

namespace vramlab::streams {

struct GpuModel {
  std::string_view name;
  allocator::Bytes memory;
};

/// By ascending memory.
std::span<const GpuModel> gpu_models();

/// Upper and lower case are one.
const GpuModel* find_gpu(std::string_view name);

}  // namespace vramlab::streams
