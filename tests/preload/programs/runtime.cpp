// A program on CUDA's own runtime, static or shared, which has the binary interface of ours.
#include <cstdio>

#include "tools/cuda_standins/runtime/cudart.h"

int main() {
  void* at = nullptr;
  std::printf("cudaMalloc %d\n", cudaMalloc(&at, 4096));
  return 0;
}
