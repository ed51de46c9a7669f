// A program that is built with a sanitizer, and works or makes a mistake: its argument says which.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "streams/cuda_interface/prototypes.h"

namespace {

int calls_that_fail() {
  CUcontext context = nullptr;
  CUdeviceptr at = 0;
  int failed = 0;
  failed += static_cast<int>(cuInit(0) != CUDA_SUCCESS);
  failed += static_cast<int>(cuDevicePrimaryCtxRetain(&context, 0) != CUDA_SUCCESS);
  failed += static_cast<int>(cuCtxSetCurrent(context) != CUDA_SUCCESS);
  failed += static_cast<int>(cuMemAlloc_v2(&at, 4096) != CUDA_SUCCESS);
  failed += static_cast<int>(cuMemFree_v2(at) != CUDA_SUCCESS);
  return failed;
}

int past_the_end(int index) {
  auto* const memory = static_cast<volatile char*>(std::malloc(16));
  memory[index] = 1;
  const int read = memory[index];
  std::free(const_cast<char*>(memory));
  return read;
}

}  // namespace

int main(int count, char** words) {
  if (calls_that_fail() != 0) return 99;
  if (count > 1 && std::string(words[1]) == "overflows") return past_the_end(16);
  std::puts("worked");
  return 0;
}
