// Takes each function by cuGetProcAddress: the first by dlsym, itself once more by itself, and all
// others by that one; with the version that each is asked for, and for both default streams.
#include <dlfcn.h>

#include "streams/cuda_interface/functions.h"
#include "tests/fake_cuda/programs/program.h"

using namespace vramlab::fake_programs;

namespace {

PFN_cuGetProcAddress_v12000 get = nullptr;

template <class Function>
Function take(const char* name, int version, cuuint64_t flags = 0) {
  void* found = nullptr;
  CUdriverProcAddressQueryResult status{};
  MUST(get(name, &found, version, flags, &status));
  must(found != nullptr && status == CU_GET_PROC_ADDRESS_SUCCESS, name);
  return reinterpret_cast<Function>(found);
}

}  // namespace

int main() {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  must(library != nullptr, "dlopen of the driver");
  get = reinterpret_cast<PFN_cuGetProcAddress_v12000>(dlsym(library, "cuGetProcAddress_v2"));
  must(get != nullptr, "dlsym of cuGetProcAddress_v2");
  get = take<PFN_cuGetProcAddress_v12000>("cuGetProcAddress", 12000);
  MUST(take<PFN_cuInit_v2000>("cuInit", 2000)(0));
  CUcontext context = nullptr;
  MUST(take<PFN_cuDevicePrimaryCtxRetain_v7000>("cuDevicePrimaryCtxRetain", 7000)(&context, 0));
  MUST(take<PFN_cuCtxSetCurrent_v4000>("cuCtxSetCurrent", 4000)(context));
  CUdeviceptr at = 0;
  MUST(take<PFN_cuMemAlloc_v3020>("cuMemAlloc", 3020)(&at, 1 << 20));
  MUST(take<PFN_cuMemFree_v3020>("cuMemFree", 3020)(at));
  for (const cuuint64_t flags : {0, 2}) {
    MUST(take<PFN_cuMemAllocAsync_v11020>("cuMemAllocAsync", 11020, flags)(&at, 1 << 20, nullptr));
    MUST(take<PFN_cuMemFreeAsync_v11020>("cuMemFreeAsync", 11020, flags)(at, nullptr));
  }
  void* old = nullptr;
  void* fresh = nullptr;
  CUdriverProcAddressQueryResult status{};
  MUST(get("cuGetProcAddress", &old, 11030, 0, &status));
  MUST(get("cuGetProcAddress", &fresh, 12000, 0, &status));
  must(old != fresh, "an older version of a function is another function");
  MUST(get("cuNothingOfTheKind", &old, 12000, 0, &status));
  must(old == nullptr && status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND, "an unknown name");
  return 0;
}
