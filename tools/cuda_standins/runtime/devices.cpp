// CUDA's runtime: devices and their settings, versions, and the driver's functions by name.
#include "tools/cuda_standins/runtime/runtime_state.h"
#include "tools/cuda_standins/runtime/version.h"

using namespace vramlab::dry_run;

CUDART_CALL(cudaGetDeviceCount)(int* count) {
  return driver_call([=](const RuntimeDriver& driver) {
    if (count == nullptr) return error::invalid_value;
    const int result = driver.device_count(count);
    return result == error::success && *count == 0 ? error::no_device : result;
  });
}
CUDART_CALL(cudaSetDevice)(int device) { return finish_call(runtime_state().set_device(device)); }
CUDART_CALL(cudaGetDevice)(int* device) { return finish_call(runtime_state().get_device(device)); }
CUDART_CALL(cudaInitDevice)(int device, unsigned /*device_flags*/, unsigned /*flags*/) {
  CudaContext context = nullptr;
  return finish_call(runtime_state().context_of(device, &context));
}
CUDART_CALL(cudaSetValidDevices)(int* /*devices*/, int count) {
  return finish_call(count < 0 ? error::invalid_value : error::success);
}
CUDART_FORWARD(cudaDeviceSynchronize, synchronize, ())
CUDART_CALL(cudaDeviceReset)() { return finish_call(runtime_state().reset_device()); }
CUDART_CALL(cudaDeviceGetAttribute)(int* value, int attribute, int device) {
  return forward_to_driver<&RuntimeDriver::device_attribute>(value, attribute, device);
}
CUDART_CALL(cudaDeviceGetPCIBusId)(char* id, int bytes, int device) {
  return forward_to_driver<&RuntimeDriver::pci_bus_id>(id, bytes, device);
}
CUDART_CALL(cudaDeviceGetByPCIBusId)(int* device, const char* id) {
  return forward_to_driver<&RuntimeDriver::device_by_pci_bus_id>(device, id);
}
/// All devices are alike.
CUDART_CALL(cudaChooseDevice)(int* device, const void* /*properties*/) {
  if (device == nullptr) return finish_call(error::invalid_value);
  *device = 0;
  return error::success;
}
CUDART_CALL(cudaDeviceFlushGPUDirectRDMAWrites)(int target, int scope) {
  return forward<&RuntimeDriver::flush_rdma_writes>(target, scope);
}
CUDART_FORWARD(cudaDeviceGetStreamPriorityRange, stream_priorities, (int* least, int* greatest),
               least, greatest)
CUDART_FORWARD(cudaDeviceGetLimit, get_limit, (size_t * value, int limit), value, limit)
CUDART_FORWARD(cudaDeviceSetLimit, set_limit, (int limit, size_t value), limit, value)
CUDART_FORWARD(cudaDeviceGetCacheConfig, get_cache, (int* preference), preference)
CUDART_FORWARD(cudaDeviceSetCacheConfig, set_cache, (int preference), preference)
CUDART_FORWARD(cudaDeviceGetSharedMemConfig, get_banks, (int* banks), banks)
CUDART_FORWARD(cudaDeviceSetSharedMemConfig, set_banks, (int banks), banks)
CUDART_CALL(cudaGetDeviceFlags)(unsigned* flags) {
  return driver_call([=](const RuntimeDriver& driver) {
    constexpr unsigned maps_host_memory = 8;
    int is_active = 0;
    if (flags == nullptr) return error::invalid_value;
    const int result = driver.primary_state(runtime_thread().device, flags, &is_active);
    *flags |= maps_host_memory;
    return result;
  });
}
CUDART_CALL(cudaSetDeviceFlags)(unsigned flags) {
  return driver_call([=](const RuntimeDriver& driver) {
    constexpr unsigned maps_host_memory = 8;
    return driver.set_primary_flags(runtime_thread().device, flags & ~maps_host_memory);
  });
}

CUDART_CALL(cudaDriverGetVersion)(int* version) {
  if (version == nullptr) return finish_call(error::invalid_value);
  *version = 0;
  const RuntimeDriver& driver = runtime_driver();
  return driver.ask.has_driver() ? finish_call(driver.driver_version(version)) : error::success;
}
CUDART_CALL(cudaRuntimeGetVersion)(int* version) {
  if (version == nullptr) return finish_call(error::invalid_value);
  *version = runtime_version();
  return error::success;
}
CUDART_CALL(cudaProfilerStart)() { return error::success; }
CUDART_CALL(cudaProfilerStop)() { return error::success; }

namespace {

struct EntryPointQuery {
  const char* symbol;
  unsigned version;
  unsigned long long flags;
};

/// What is found is called with the thread's context.
int ask_for_entry_point(const EntryPointQuery& query, void** function, int* status) {
  return runtime_call([&](const RuntimeDriver& driver) {
    int found = 0;
    const int result = driver.get_proc_address(
        query.symbol, function, static_cast<int>(query.version), query.flags, &found);
    if (status != nullptr) *status = found;
    return result;
  });
}

/// What the caller leaves open means its own default stream.
unsigned long long per_thread_unless_said(unsigned long long flags) {
  constexpr unsigned long long per_thread = 2;
  return flags == 0 ? per_thread : flags;
}

unsigned own_version() { return static_cast<unsigned>(runtime_version()); }

}  // namespace

CUDART_CALL(cudaGetDriverEntryPointByVersion)
(const char* symbol, void** function, unsigned version, unsigned long long flags, int* status) {
  return ask_for_entry_point({symbol, version, flags}, function, status);
}
CUDART_CALL(cudaGetDriverEntryPointByVersion_ptsz)
(const char* symbol, void** function, unsigned version, unsigned long long flags, int* status) {
  return ask_for_entry_point({symbol, version, per_thread_unless_said(flags)}, function, status);
}
CUDART_CALL(cudaGetDriverEntryPoint)
(const char* symbol, void** function, unsigned long long flags, int* status) {
  return ask_for_entry_point({symbol, own_version(), flags}, function, status);
}
CUDART_CALL(cudaGetDriverEntryPoint_ptsz)
(const char* symbol, void** function, unsigned long long flags, int* status) {
  return ask_for_entry_point({symbol, own_version(), per_thread_unless_said(flags)}, function,
                             status);
}
