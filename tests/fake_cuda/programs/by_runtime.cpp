// A small program as nvcc makes it: a kernel that is registered before main, memory, a launch and a
// check of the result. Built over both stand-ins for CUDA's runtime.
#include "tools/cuda_standins/runtime/cudart.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

void must(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "failed: %s\n", what);
  std::_Exit(1);
}

/// Only its address counts.
void fill_on_host() {}
void** binary = nullptr;

struct Registration {
  Registration() {
    static int image = 0;
    binary = __cudaRegisterFatBinary(&image);
    __cudaRegisterFunction(binary, reinterpret_cast<const char*>(&fill_on_host), nullptr,
                           "fake_fill", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    __cudaRegisterFatBinaryEnd(binary);
    std::atexit([] { __cudaUnregisterFatBinary(binary); });
  }
} const registration;

/// fill_on_host<<<1, 32, 0, stream>>>(at, words, value, ns)
int fill(void* at, std::uint64_t words, std::uint32_t value, cudaStream_t stream) {
  std::uint64_t ns = 2000;
  void* arguments[] = {&at, &words, &value, &ns};
  dim3 grid{1, 1, 1};
  dim3 block{32, 1, 1};
  std::size_t shared_bytes = 0;
  __cudaPushCallConfiguration(grid, block, 0, stream);
  __cudaPopCallConfiguration(&grid, &block, &shared_bytes, &stream);
  cudaKernel_t kernel = nullptr;
  must(__cudaGetKernel(&kernel, reinterpret_cast<const void*>(&fill_on_host)) == 0, "the kernel");
  return __cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, stream);
}

void run(cudaStream_t stream, std::uint32_t value) {
  constexpr std::size_t words = 5000;
  void* memory = nullptr;
  must(cudaMalloc(&memory, words * 4) == 0, "cudaMalloc");
  must(fill(memory, words, value, stream) == 0, "the launch");
  must(cudaStreamSynchronize(stream) == 0, "cudaStreamSynchronize");
  std::vector<std::uint32_t> read(words);
  must(cudaMemcpy(read.data(), memory, words * 4, 2) == 0, "cudaMemcpy");
  for (const std::uint32_t word : read) must(word == value, "the kernel's words are there");
  must(cudaFree(memory) == 0, "cudaFree");
}

}  // namespace

int main() {
  must(cudaFree(nullptr) == 0, "cudaFree of nothing");
  void* none = &none;
  must(cudaMalloc(&none, 0) == 0 && none == nullptr, "cudaMalloc of nothing");
  cudaStream_t stream = nullptr;
  must(cudaStreamCreateWithFlags(&stream, 1) == 0, "cudaStreamCreateWithFlags");
  for (std::uint32_t round = 1; round <= 10; ++round) run(round % 2 == 0 ? stream : nullptr, round);
  must(cudaMalloc(&none, std::size_t{1} << 60) == 2, "too much memory is refused");
  must(cudaGetLastError() == 2 && cudaGetLastError() == 0, "the last error is told once");
  must(cudaStreamDestroy(stream) == 0, "cudaStreamDestroy");
  must(cudaDeviceReset() == 0, "cudaDeviceReset");
  run(nullptr, 77);
  return 0;
}
