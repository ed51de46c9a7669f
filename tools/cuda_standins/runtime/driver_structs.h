// Structs of the driver's interface that look different in the runtime's, as far as the runtime
// needs them: facts about names, order and sizes.
#pragma once

#include <cstddef>

#include "tools/cuda_standins/runtime/cudart.h"

namespace vramlab::dry_run {

using CudaContext = struct CUctx_st*;
using CudaModule = struct CUmod_st*;

struct CudaUuid {
  char bytes[16];
};

enum class DriverMemory : unsigned { host = 1, device = 2, array = 3, unified = 4 };

/// One end of a copy of two dimensions.
struct DriverEnd2D {
  std::size_t x_bytes;
  std::size_t y;
  DriverMemory kind;
  const void* host;
  const void* device;
  cudaArray_t array;
  std::size_t pitch;
};
struct DriverCopy2D {
  DriverEnd2D from;
  DriverEnd2D to;
  std::size_t width_bytes;
  std::size_t height;
};

/// One end of a copy of three dimensions. Copies between devices name the context.
struct DriverEnd3D {
  std::size_t x_bytes;
  std::size_t y;
  std::size_t z;
  std::size_t level;
  DriverMemory kind;
  const void* host;
  const void* device;
  cudaArray_t array;
  CudaContext context;
  std::size_t pitch;
  std::size_t height;
};
struct DriverCopy3D {
  DriverEnd3D from;
  DriverEnd3D to;
  std::size_t width_bytes;
  std::size_t height;
  std::size_t depth;
};

struct DriverArray {
  std::size_t width;
  std::size_t height;
  std::size_t depth;
  unsigned format;
  unsigned channels;
  unsigned flags;
};

struct DriverLaunch {
  dim3 grid;
  dim3 block;
  unsigned shared_bytes;
  cudaStream_t stream;
  void* attributes;
  unsigned attribute_count;
};

struct DriverKernelNode {
  cudaFunction_t function;
  dim3 grid;
  dim3 block;
  unsigned shared_bytes;
  void** arguments;
  void** extra;
  void* kernel;
  CudaContext context;
};

}  // namespace vramlab::dry_run
