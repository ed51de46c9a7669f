#include "streams/live/cuda_driver.h"

#include <dlfcn.h>

namespace vramlab::streams {
namespace {

template <class Function>
Function as_function(void* symbol) {
  // POSIX promises that an object pointer from dlsym can be turned into a function's.
  return reinterpret_cast<Function>(symbol);
}

bool must_have(CallNeed need, DriverNeeds needs) {
  return need == CallNeed::required || (need == CallNeed::mapping && needs == DriverNeeds::mapping);
}

}  // namespace

std::variant<CudaDriver, NoCudaDriver> find_cuda_driver(const FindSymbol& find, DriverNeeds needs) {
  CudaDriver driver;
#define VRAMLAB_CALLED(need, member, type, symbol)                  \
  driver.member = as_function<type>(find(#symbol));                 \
  if (driver.member == nullptr && must_have(CallNeed::need, needs)) \
    return NoCudaDriver{"the CUDA driver has no " #symbol};
  VRAMLAB_CALLED_FUNCTIONS
#undef VRAMLAB_CALLED
  return driver;
}

bool has_mapping(const CudaDriver& driver) {
#define VRAMLAB_CALLED(need, member, type, symbol) \
  if (CallNeed::need == CallNeed::mapping && driver.member == nullptr) return false;
  VRAMLAB_CALLED_FUNCTIONS
#undef VRAMLAB_CALLED
  return true;
}

std::variant<CudaDriver, NoCudaDriver> open_cuda_driver(const char* library) {
  void* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const reason = dlerror();
    return NoCudaDriver{std::string("there is no CUDA driver: ") +
                        (reason == nullptr ? library : reason)};
  }
  return find_cuda_driver([handle](const char* symbol) { return dlsym(handle, symbol); });
}

std::string driver_error_name(const CudaDriver& driver, CUresult result) {
  const char* name = nullptr;
  if (driver.error_name(result, &name) == CUDA_SUCCESS && name != nullptr) return name;
  return "CUDA error " + std::to_string(static_cast<int>(result));
}

CUmemAllocationProp memory_on(CUdevice device) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = device;
  return properties;
}

CUmemAccessDesc access_for(CUdevice device, CUmemAccess_flags flags) {
  CUmemAccessDesc access{};
  access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  access.location.id = device;
  access.flags = flags;
  return access;
}

}  // namespace vramlab::streams
