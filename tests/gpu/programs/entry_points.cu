// A program that gets the driver's functions from the runtime (cudaGetDriverEntryPointByVersion)
// and mixes them with the runtime's own: what one allocated the other frees, and a kernel writes to
// both.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

namespace {

void must(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "failed: %s\n", what);
  std::exit(1);
}

template <class Function>
Function driver_function(const char* name, unsigned version) {
  void* found = nullptr;
#if CUDART_VERSION >= 12050
  cudaDriverEntryPointQueryResult status{};
  must(cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &status) ==
               cudaSuccess &&
           status == cudaDriverEntryPointSuccess,
       name);
#else
  (void)version;
  must(cudaGetDriverEntryPoint(name, &found, cudaEnableDefault) == cudaSuccess, name);
#endif
  return reinterpret_cast<Function>(found);
}

__global__ void fill(int* words, int count, int value) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) words[i] = value;
}

bool is_filled(int* words, int count, int value) {
  fill<<<(count + 255) / 256, 256>>>(words, count, value);
  int last = 0;
  return cudaMemcpy(&last, words + count - 1, sizeof last, cudaMemcpyDeviceToHost) == cudaSuccess &&
         last == value;
}

}  // namespace

int main() {
  must(cudaFree(nullptr) == cudaSuccess, "the runtime starts");
  const auto allocate = driver_function<CUresult (*)(CUdeviceptr*, size_t)>("cuMemAlloc", 3020);
  const auto release = driver_function<CUresult (*)(CUdeviceptr)>("cuMemFree", 3020);
  constexpr int count = 1 << 20;
  for (int round = 1; round <= 20; ++round) {
    CUdeviceptr by_driver = 0;
    must(allocate(&by_driver, count * sizeof(int)) == CUDA_SUCCESS, "cuMemAlloc");
    int* by_runtime = nullptr;
    must(cudaMalloc(&by_runtime, count * sizeof(int)) == cudaSuccess, "cudaMalloc");
    must(is_filled(reinterpret_cast<int*>(by_driver), count, round), "the driver's memory");
    must(is_filled(by_runtime, count, -round), "the runtime's memory");
    must(cudaFree(reinterpret_cast<void*>(by_driver)) == cudaSuccess, "cudaFree of the driver's");
    must(release(reinterpret_cast<CUdeviceptr>(by_runtime)) == CUDA_SUCCESS,
         "cuMemFree of the runtime's");
  }
  std::printf("20 rounds\n");
  return 0;
}
