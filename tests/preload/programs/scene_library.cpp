// A library linked to the driver, which also asks for its functions by name.
#include <cuda.h>
#include <dlfcn.h>

#include <cstdio>

#include "tests/preload/programs/whose.h"

extern "C" void scene() {
  void* const handle = dlopen("libcuda.so.1", RTLD_NOW);
  std::printf("asked %s\n", whose(dlsym(handle, "cuMemAlloc_v2")).c_str());
  std::printf("linked %s\n", whose(reinterpret_cast<void*>(&cuMemAlloc)).c_str());
  CUcontext context = nullptr;
  CUdeviceptr at = 0;
  cuInit(0);
  cuDevicePrimaryCtxRetain(&context, 0);
  cuCtxSetCurrent(context);
  const CUresult taken = cuMemAlloc(&at, 4096);
  const CUresult given = cuMemFree(at);
  std::printf("calls %d %d\n", static_cast<int>(taken), static_cast<int>(given));
}
