// The parts that the programs of this folder share. They are written as programs that know nothing
// of the fake driver but its kernels' names, and of its oracle; each ends with 0 where everything
// went as it must.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "streams/cuda_interface/prototypes.h"
#include "tests/fake_cuda/control/fake_cuda_control.h"

namespace vramlab::fake_programs {

inline void must(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "failed: %s\n", what);
  std::_Exit(1);
}

inline void must(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  std::fprintf(stderr, "failed with %d: %s\n", static_cast<int>(result), what);
  std::_Exit(1);
}

#define MUST(call) vramlab::fake_programs::must((call), #call)

/// The device's primary context, current on this thread.
inline CUcontext open_device(int ordinal = 0) {
  CUdevice device = 0;
  CUcontext context = nullptr;
  MUST(cuInit(0));
  MUST(cuDeviceGet(&device, ordinal));
  MUST(cuDevicePrimaryCtxRetain(&context, device));
  MUST(cuCtxSetCurrent(context));
  return context;
}

inline CUfunction find_kernel(const char* name) {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  MUST(cuModuleLoadData(&module, ""));
  MUST(cuModuleGetFunction(&function, module, name));
  return function;
}

/// Every word gets the value, after so much time.
struct Fill {
  CUdeviceptr at;
  std::uint64_t words;
  std::uint32_t value;
  std::uint64_t ns = 2000;
};
inline CUresult launch(CUfunction kernel, Fill fill, CUstream stream) {
  void* arguments[] = {&fill.at, &fill.words, &fill.value, &fill.ns};
  return cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, stream, arguments, nullptr);
}

/// Memory, which the oracle hears of.
inline CUdeviceptr take_memory(std::size_t bytes) {
  CUdeviceptr at = 0;
  MUST(cuMemAlloc_v2(&at, bytes));
  fake_cuda_handed_out(at, bytes);
  return at;
}
inline void give_back_memory(CUdeviceptr at) {
  fake_cuda_given_back(at);
  MUST(cuMemFree_v2(at));
}

inline bool holds(CUdeviceptr at, std::size_t words, std::uint32_t value) {
  std::vector<std::uint32_t> read(words);
  MUST(cuMemcpyDtoH_v2(read.data(), at, words * 4));
  for (const std::uint32_t word : read)
    if (word != value) return false;
  return true;
}

/// The last lines of a program.
inline int end_of_program() {
  char race[400] = "";
  fake_cuda_first_race(race, sizeof race);
  if (fake_cuda_race_count() == 0) return 0;
  std::fprintf(stderr, "races: %llu, the first: %s\n",
               static_cast<unsigned long long>(fake_cuda_race_count()), race);
  return 3;
}

}  // namespace vramlab::fake_programs
