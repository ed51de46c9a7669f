// GpuFacts: what is told of a GPU, for reports. No CUDA is needed to know of it.
#pragma once

#include <string>

#include "allocator/words/bytes.h"

namespace vramlab::streams {

struct GpuFacts {
  int index = 0;
  std::string name;
  int compute_major = 0;
  int compute_minor = 0;
  /// Such as 13000 for CUDA 13.0.
  int driver_version = 0;
  allocator::Bytes memory;
};

}  // namespace vramlab::streams
