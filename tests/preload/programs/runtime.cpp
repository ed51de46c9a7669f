// A program on CUDA's runtime, static or shared.
#include <cuda_runtime_api.h>

#include <cstdio>

int main() {
  void* at = nullptr;
  std::printf("cudaMalloc %d\n", static_cast<int>(cudaMalloc(&at, 4096)));
  return 0;
}
