// CUDA's runtime: devices, errors and versions.
#include <utility>

#include "tests/fake_cuda/runtime/runtime_state.h"

using namespace vramlab::fake;

int cudaGetDeviceCount(int* count) {
  return runtime_call([=](const RuntimeDriver& driver) { return driver.device_count(count); });
}
int cudaSetDevice(int device) {
  const int before = std::exchange(runtime_thread().device, device);
  const int result = runtime_call([](const RuntimeDriver&) { return CUDA_SUCCESS; });
  if (result != 0) runtime_thread().device = before;
  return result;
}
int cudaGetDevice(int* device) {
  *device = runtime_thread().device;
  return 0;
}
int cudaDeviceSynchronize() {
  return runtime_call([](const RuntimeDriver& driver) { return driver.synchronize(); });
}
int cudaDeviceReset() {
  return runtime_call([](const RuntimeDriver&) { return runtime_state().reset(); });
}
int cudaGetLastError() { return std::exchange(runtime_thread().last_error, 0); }
int cudaPeekAtLastError() { return runtime_thread().last_error; }

const char* cudaGetErrorName(int error) {
  const char* text = nullptr;
  if (const auto name = runtime_driver().error_name) name(static_cast<CUresult>(error), &text);
  return text == nullptr ? "unrecognized error code" : text;
}
const char* cudaGetErrorString(int error) {
  const char* text = nullptr;
  if (const auto name = runtime_driver().error_string) name(static_cast<CUresult>(error), &text);
  return text == nullptr ? "unrecognized error code" : text;
}
int cudaDriverGetVersion(int* version) {
  const auto ask = runtime_driver().driver_version;
  *version = 0;
  return ask == nullptr ? 0 : static_cast<int>(ask(version));
}
int cudaRuntimeGetVersion(int* version) {
  *version = 13000;
  return 0;
}
int cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned version,
                                     unsigned long long flags, int* status) {
  return runtime_call([=](const RuntimeDriver& driver) {
    CUdriverProcAddressQueryResult found{};
    const CUresult result =
        driver.get_proc_address(symbol, function, static_cast<int>(version), flags, &found);
    if (status != nullptr) *status = static_cast<int>(found);
    return result;
  });
}
