// Another preload that wraps a driver's function, and hands over to the next one after itself; and
// a tool's start function, forwarded the same way, as OpenMP's runtime does it. Who loses the
// caller sends both back to themselves without end.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>

#include "streams/cuda_interface/types.h"
#include "tests/preload/programs/whose.h"

extern "C" CUresult cuMemAlloc_v2(CUdeviceptr* at, std::size_t bytes) {
  using Function = CUresult (*)(CUdeviceptr*, std::size_t);
  void* const next = dlsym(RTLD_NEXT, "cuMemAlloc_v2");
  std::printf("wrapper's next %s\n", whose(next).c_str());
  std::fflush(stdout);
  return reinterpret_cast<Function>(next)(at, bytes);
}

extern "C" __attribute__((weak)) int tool_start(int depth) {
  if (depth > 3) return -1;
  using Function = int (*)(int);
  void* const next = dlsym(RTLD_NEXT, "tool_start");
  return next == nullptr ? 0 : reinterpret_cast<Function>(next)(depth + 1);
}

namespace {
struct Started {
  Started() { std::printf("tool %d\n", tool_start(1)); }
} started;
}  // namespace
