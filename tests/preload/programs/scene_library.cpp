// A library linked to the driver, which also asks for its functions by name.
#include <dlfcn.h>

#include <cstdio>

#include "streams/cuda_interface/prototypes.h"
#include "tests/preload/programs/whose.h"

extern "C" void scene() {
  void* const handle = dlopen("libcuda.so.1", RTLD_NOW);
  std::printf("asked %s\n", whose(dlsym(handle, "cuMemAlloc_v2")).c_str());
  std::printf("linked %s\n", whose(reinterpret_cast<void*>(&cuMemAlloc_v2)).c_str());
  CUcontext context = nullptr;
  CUdeviceptr at = 0;
  cuInit(0);
  cuDevicePrimaryCtxRetain(&context, 0);
  cuCtxSetCurrent(context);
  const CUresult taken = cuMemAlloc_v2(&at, 4096);
  const CUresult given = cuMemFree_v2(at);
  std::printf("calls %d %d\n", static_cast<int>(taken), static_cast<int>(given));
}
