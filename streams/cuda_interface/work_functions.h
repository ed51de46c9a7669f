// The functions that put work on streams: copies, memsets, host functions, kernels.
// functions.h says what the columns are.
#pragma once

// clang-format off
#define VRAMLAB_CUDA_WORK_FUNCTIONS(One, Two)                                                    \
  Two(cuLaunchHostFunc, cuLaunchHostFunc, 10000, _ptsz, 10000,                                   \
      (CUstream stream, CUhostFn function, void* argument))                                      \
  Two(cuMemcpy, cuMemcpy, 4000, _ptds, 7000,                                                     \
      (CUdeviceptr to, CUdeviceptr from, std::size_t bytes))                                     \
  Two(cuMemcpyHtoD, cuMemcpyHtoD_v2, 3020, _ptds, 7000,                                          \
      (CUdeviceptr to, const void* from, std::size_t bytes))                                     \
  Two(cuMemcpyDtoH, cuMemcpyDtoH_v2, 3020, _ptds, 7000,                                          \
      (void* to, CUdeviceptr from, std::size_t bytes))                                           \
  Two(cuMemcpyDtoD, cuMemcpyDtoD_v2, 3020, _ptds, 7000,                                          \
      (CUdeviceptr to, CUdeviceptr from, std::size_t bytes))                                     \
  Two(cuMemcpyAsync, cuMemcpyAsync, 4000, _ptsz, 7000,                                           \
      (CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream))                    \
  Two(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2, 3020, _ptsz, 7000,                                \
      (CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream))                    \
  Two(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, 3020, _ptsz, 7000,                                \
      (void* to, CUdeviceptr from, std::size_t bytes, CUstream stream))                          \
  Two(cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2, 3020, _ptsz, 7000,                                \
      (CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream))                    \
  Two(cuMemcpyPeerAsync, cuMemcpyPeerAsync, 4000, _ptsz, 7000,                                   \
      (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,           \
       std::size_t bytes, CUstream stream))                                                      \
  Two(cuMemsetD8, cuMemsetD8_v2, 3020, _ptds, 7000,                                              \
      (CUdeviceptr at, unsigned char value, std::size_t count))                                  \
  Two(cuMemsetD32, cuMemsetD32_v2, 3020, _ptds, 7000,                                            \
      (CUdeviceptr at, unsigned value, std::size_t count))                                       \
  Two(cuMemsetD8Async, cuMemsetD8Async, 3020, _ptsz, 7000,                                       \
      (CUdeviceptr at, unsigned char value, std::size_t count, CUstream stream))                 \
  Two(cuMemsetD32Async, cuMemsetD32Async, 3020, _ptsz, 7000,                                     \
      (CUdeviceptr at, unsigned value, std::size_t count, CUstream stream))                      \
  Two(cuLaunchKernel, cuLaunchKernel, 4000, _ptsz, 7000,                                         \
      (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, \
       unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream,               \
       void** arguments, void** extra))                                                          \
  Two(cuLaunchKernelEx, cuLaunchKernelEx, 11060, _ptsz, 11060,                                   \
      (const CUlaunchConfig* how, CUfunction function, void** arguments, void** extra))          \
  Two(cuLaunchCooperativeKernel, cuLaunchCooperativeKernel, 9000, _ptsz, 9000,                   \
      (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, \
       unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream,               \
       void** arguments))
// clang-format on
