// CUDA's runtime: devices, errors and versions.
#include <utility>

#include "tests/fake_cuda/runtime/runtime_state.h"

using namespace vramlab::fake;

static constexpr int own_version = 13000;

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
  *version = own_version;
  return 0;
}

namespace {

struct EntryPointQuery {
  const char* symbol;
  unsigned version;
  unsigned long long flags;
};

int ask_for_entry_point(const EntryPointQuery& query, void** function, int* status) {
  return runtime_call([&](const RuntimeDriver& driver) {
    CUdriverProcAddressQueryResult found{};
    const CUresult result = driver.get_proc_address(
        query.symbol, function, static_cast<int>(query.version), query.flags, &found);
    if (status != nullptr) *status = static_cast<int>(found);
    return result;
  });
}

/// What the caller leaves open means its own default stream.
unsigned long long per_thread_unless_said(unsigned long long flags) {
  constexpr unsigned long long per_thread = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  return flags == 0 ? per_thread : flags;
}

}  // namespace

int cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned version,
                                     unsigned long long flags, int* status) {
  return ask_for_entry_point({symbol, version, flags}, function, status);
}
int cudaGetDriverEntryPointByVersion_ptsz(const char* symbol, void** function, unsigned version,
                                          unsigned long long flags, int* status) {
  return ask_for_entry_point({symbol, version, per_thread_unless_said(flags)}, function, status);
}
int cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                            int* status) {
  return ask_for_entry_point({symbol, own_version, flags}, function, status);
}
int cudaGetDriverEntryPoint_ptsz(const char* symbol, void** function, unsigned long long flags,
                                 int* status) {
  return ask_for_entry_point({symbol, own_version, per_thread_unless_said(flags)}, function,
                             status);
}
