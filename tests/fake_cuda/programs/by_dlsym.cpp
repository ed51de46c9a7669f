// Opens the driver and takes each function by dlsym, as programs do that run without a driver too.
#include <dlfcn.h>

#include "tests/fake_cuda/programs/program.h"

using namespace vramlab::fake_programs;

namespace {

template <class Function>
Function* take(void* library, const char* symbol) {
  void* const found = dlsym(library, symbol);
  must(found != nullptr, symbol);
  return reinterpret_cast<Function*>(found);
}

}  // namespace

int main() {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  must(library != nullptr, "dlopen of the driver");
  MUST(take<decltype(cuInit)>(library, "cuInit")(0));
  CUcontext context = nullptr;
  MUST(take<decltype(cuDevicePrimaryCtxRetain)>(library, "cuDevicePrimaryCtxRetain")(&context, 0));
  MUST(take<decltype(cuCtxSetCurrent)>(library, "cuCtxSetCurrent")(context));
  const auto allocate = take<decltype(cuMemAlloc_v2)>(library, "cuMemAlloc_v2");
  const auto release = take<decltype(cuMemFree_v2)>(library, "cuMemFree_v2");
  for (int round = 0; round < 10; ++round) {
    CUdeviceptr at = 0;
    MUST(allocate(&at, 1 << 20));
    MUST(release(at));
  }
  must(dlsym(library, "cuNothingOfTheKind") == nullptr, "an unknown symbol is not there");
  return 0;
}
