// Says which GPU, driver and runtime give the answers, then runs the tests.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdio>

namespace {

void tell_gpu() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  cudaDeviceProp gpu{};
  int driver = 0;
  int runtime = 0;
  if (error != cudaSuccess || count == 0 || cudaGetDeviceProperties(&gpu, 0) != cudaSuccess ||
      cudaDriverGetVersion(&driver) != cudaSuccess ||
      cudaRuntimeGetVersion(&runtime) != cudaSuccess) {
    std::printf("SKIPPED: no GPU answers (%s). NOTHING IS TESTED ON A GPU.\n",
                cudaGetErrorName(error));
    return;
  }
  std::printf("GPU: %s, compute capability %d.%d, CUDA driver %d, runtime %d\n", gpu.name,
              gpu.major, gpu.minor, driver, runtime);
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  tell_gpu();
  std::fflush(stdout);
  return RUN_ALL_TESTS();
}
