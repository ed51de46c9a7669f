// CUDA's runtime: devices and their settings, versions, and the driver's functions by name.

#include "tools/cuda_standins/runtime/devices.h"

#include <cstring>

#include "tools/cuda_standins/runtime/runtime_state.h"

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
CUDART_FORWARD(cudaDeviceGetLimit, get_limit, (size_t* value, int limit), value, limit)
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

/// The function found is called later, so the thread gets its context now.
int ask_for_entry_point(const EntryPointQuery& query, void** function, int* status) {
  return runtime_call([&](const RuntimeDriver& driver) {
    int found = 0;
    const int result = driver.get_proc_address(
        query.symbol, function, static_cast<int>(query.version), query.flags, &found);
    if (status != nullptr) *status = found;
    return result;
  });
}

/// Flags that leave the default stream open mean the thread's own.
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

// CUDA's runtime: devices that reach each other's memory, and copies between them.

namespace {

/// The two ends of a copy between devices.
struct Ends {
  CudaContext to = nullptr;
  CudaContext from = nullptr;
};
template <class Copy>
int between(int to_device, int from_device, const Copy& copy) {
  return runtime_call([&](const RuntimeDriver& driver) {
    Ends ends;
    int result = runtime_state().context_of(to_device, &ends.to);
    if (result == error::success) result = runtime_state().context_of(from_device, &ends.from);
    return result == error::success ? copy(driver, ends) : result;
  });
}

int on_cudaMemcpyPeer(DefaultStream variant, void* to, int to_device, const void* from,
                      int from_device, size_t bytes) {
  return between(to_device, from_device, [=](const RuntimeDriver& driver, const Ends& ends) {
    return driver.copy_peer[variant](to, ends.to, from, ends.from, bytes);
  });
}
int on_cudaMemcpyPeerAsync(DefaultStream variant, void* to, int to_device, const void* from,
                           int from_device, size_t bytes, cudaStream_t stream) {
  return between(to_device, from_device, [=](const RuntimeDriver& driver, const Ends& ends) {
    return driver.copy_peer_async[variant](to, ends.to, from, ends.from, bytes, stream);
  });
}

}  // namespace

CUDART_CALL(cudaMemcpyPeer)
(void* to, int to_device, const void* from, int from_device, size_t bytes) {
  return on_cudaMemcpyPeer(DefaultStream::plain, to, to_device, from, from_device, bytes);
}
CUDART_CALL(cudaMemcpyPeerAsync)
(void* to, int to_device, const void* from, int from_device, size_t bytes, cudaStream_t stream) {
  return on_cudaMemcpyPeerAsync(DefaultStream::plain, to, to_device, from, from_device, bytes,
                                stream);
}

CUDART_CALL(cudaDeviceCanAccessPeer)(int* can, int device, int peer) {
  return forward_to_driver<&RuntimeDriver::can_access_peer>(can, device, peer);
}
CUDART_CALL(cudaDeviceGetP2PAttribute)(int* value, int attribute, int from, int to) {
  return forward_to_driver<&RuntimeDriver::peer_attribute>(value, attribute, from, to);
}
CUDART_CALL(cudaDeviceEnablePeerAccess)(int peer, unsigned flags) {
  return runtime_call([=](const RuntimeDriver& driver) {
    CudaContext context = nullptr;
    const int result = runtime_state().context_of(peer, &context);
    return result == error::success ? driver.enable_peer(context, flags) : result;
  });
}
CUDART_CALL(cudaDeviceDisablePeerAccess)(int peer) {
  return runtime_call([=](const RuntimeDriver& driver) {
    CudaContext context = nullptr;
    const int result = runtime_state().context_of(peer, &context);
    return result == error::success ? driver.disable_peer(context) : result;
  });
}

// The numbers in the struct of a device's properties: the driver's attributes in the order of the
// struct, behind name, identity and memory.

namespace vramlab::dry_run {

std::span<const PropertyField> property_fields() {
  using enum PropertyWidth;
  using enum PropertyVersions;
  static constexpr PropertyField fields[] = {
      {wide, 8},              // sharedMemPerBlock
      {plain, 12},            // regsPerBlock
      {plain, 10},            // warpSize
      {wide, 11},             // memPitch
      {plain, 1},             // maxThreadsPerBlock
      {plain, 2},             // maxThreadsDim
      {plain, 3},             // maxThreadsDim
      {plain, 4},             // maxThreadsDim
      {plain, 5},             // maxGridSize
      {plain, 6},             // maxGridSize
      {plain, 7},             // maxGridSize
      {plain, 13, only_12},   // clockRate
      {wide, 9},              // totalConstMem
      {plain, 75},            // major
      {plain, 76},            // minor
      {wide, 14},             // textureAlignment
      {wide, 51},             // texturePitchAlignment
      {plain, 15, only_12},   // deviceOverlap
      {plain, 16},            // multiProcessorCount
      {plain, 17, only_12},   // kernelExecTimeoutEnabled
      {plain, 18},            // integrated
      {plain, 19},            // canMapHostMemory
      {plain, 20, only_12},   // computeMode
      {plain, 21},            // maxTexture1D
      {plain, 77},            // maxTexture1DMipmap
      {plain, 69, only_12},   // maxTexture1DLinear
      {plain, 22},            // maxTexture2D
      {plain, 23},            // maxTexture2D
      {plain, 73},            // maxTexture2DMipmap
      {plain, 74},            // maxTexture2DMipmap
      {plain, 70},            // maxTexture2DLinear
      {plain, 71},            // maxTexture2DLinear
      {plain, 72},            // maxTexture2DLinear
      {plain, 45},            // maxTexture2DGather
      {plain, 46},            // maxTexture2DGather
      {plain, 24},            // maxTexture3D
      {plain, 25},            // maxTexture3D
      {plain, 26},            // maxTexture3D
      {plain, 47},            // maxTexture3DAlt
      {plain, 48},            // maxTexture3DAlt
      {plain, 49},            // maxTexture3DAlt
      {plain, 52},            // maxTextureCubemap
      {plain, 42},            // maxTexture1DLayered
      {plain, 43},            // maxTexture1DLayered
      {plain, 27},            // maxTexture2DLayered
      {plain, 28},            // maxTexture2DLayered
      {plain, 29},            // maxTexture2DLayered
      {plain, 53},            // maxTextureCubemapLayered
      {plain, 54},            // maxTextureCubemapLayered
      {plain, 55},            // maxSurface1D
      {plain, 56},            // maxSurface2D
      {plain, 57},            // maxSurface2D
      {plain, 58},            // maxSurface3D
      {plain, 59},            // maxSurface3D
      {plain, 60},            // maxSurface3D
      {plain, 61},            // maxSurface1DLayered
      {plain, 62},            // maxSurface1DLayered
      {plain, 63},            // maxSurface2DLayered
      {plain, 64},            // maxSurface2DLayered
      {plain, 65},            // maxSurface2DLayered
      {plain, 66},            // maxSurfaceCubemap
      {plain, 67},            // maxSurfaceCubemapLayered
      {plain, 68},            // maxSurfaceCubemapLayered
      {wide, 30},             // surfaceAlignment
      {plain, 31},            // concurrentKernels
      {plain, 32},            // ECCEnabled
      {plain, 33},            // pciBusID
      {plain, 34},            // pciDeviceID
      {plain, 50},            // pciDomainID
      {plain, 35},            // tccDriver
      {plain, 40},            // asyncEngineCount
      {plain, 41},            // unifiedAddressing
      {plain, 36, only_12},   // memoryClockRate
      {plain, 37},            // memoryBusWidth
      {plain, 38},            // l2CacheSize
      {plain, 108},           // persistingL2CacheMaxSize
      {plain, 39},            // maxThreadsPerMultiProcessor
      {plain, 78},            // streamPrioritiesSupported
      {plain, 79},            // globalL1CacheSupported
      {plain, 80},            // localL1CacheSupported
      {wide, 81},             // sharedMemPerMultiprocessor
      {plain, 82},            // regsPerMultiprocessor
      {plain, 83},            // managedMemory
      {plain, 84},            // isMultiGpuBoard
      {plain, 85},            // multiGpuBoardGroupID
      {plain, 86},            // hostNativeAtomicSupported
      {plain, 87, only_12},   // singleToDoublePrecisionPerfRatio
      {plain, 88},            // pageableMemoryAccess
      {plain, 89},            // concurrentManagedAccess
      {plain, 90},            // computePreemptionSupported
      {plain, 91},            // canUseHostPointerForRegisteredMem
      {plain, 95},            // cooperativeLaunch
      {plain, 96, only_12},   // cooperativeMultiDeviceLaunch
      {wide, 97},             // sharedMemPerBlockOptin
      {plain, 100},           // pageableMemoryAccessUsesHostPageTables
      {plain, 101},           // directManagedMemAccessFromHost
      {plain, 106},           // maxBlocksPerMultiProcessor
      {plain, 109},           // accessPolicyMaxWindowSize
      {wide, 111},            // reservedSharedMemPerBlock
      {plain, 99},            // hostRegisterSupported
      {plain, 112},           // sparseCudaArraySupported
      {plain, 113},           // hostRegisterReadOnlySupported
      {plain, 114},           // timelineSemaphoreInteropSupported
      {plain, 115},           // memoryPoolsSupported
      {plain, 116},           // gpuDirectRDMASupported
      {plain, 117},           // gpuDirectRDMAFlushWritesOptions
      {plain, 118},           // gpuDirectRDMAWritesOrdering
      {plain, 119},           // memoryPoolSupportedHandleTypes
      {plain, 121},           // deferredMappingCudaArraySupported
      {plain, 125},           // ipcEventSupported
      {plain, 120},           // clusterLaunch
      {plain, 129},           // unifiedFunctionPointers
      {plain, 130, only_13},  // deviceNumaConfig
      {plain, 131, only_13},  // deviceNumaId
      {plain, 133, only_13},  // mpsEnabled
      {plain, 134, only_13},  // hostNumaId
      {plain, 139, only_13},  // gpuPciDeviceID
      {plain, 140, only_13},  // gpuPciSubsystemID
      {plain, 143, only_13},  // hostNumaMultinodeIpcSupported
  };
  return fields;
}

bool is_of_this_version(const PropertyField& field) {
  const bool is_13 = runtime_version() >= first_version_13;
  return field.versions != (is_13 ? PropertyVersions::only_12 : PropertyVersions::only_13);
}

// CUDA's runtime: the properties of devices.
namespace {

/// The beginning of every version's struct.
struct FirstProperties {
  char name[256];
  CudaUuid uuid;
  char luid[8];
  unsigned luid_node_mask;
  size_t memory_bytes;
};

std::size_t put(char* into, PropertyWidth width, int value) {
  if (width == PropertyWidth::plain) {
    std::memcpy(into, &value, sizeof value);
    return sizeof value;
  }
  const auto wide = static_cast<std::size_t>(value);
  std::memcpy(into, &wide, sizeof wide);
  return sizeof wide;
}

void tell_attributes(const RuntimeDriver& driver, char* into, int device, int last_attribute) {
  std::size_t place = sizeof(FirstProperties);
  for (const PropertyField& field : property_fields()) {
    if (!is_of_this_version(field)) continue;
    int value = 0;
    driver.device_attribute(&value, field.attribute, device);
    const auto width = static_cast<std::size_t>(field.width);
    place = (place + width - 1) / width * width;
    place += put(into + place, field.width, value);
    if (field.attribute == last_attribute) return;
  }
}

}  // namespace

int tell_properties(void* into, int device, PropertyExtent extent) {
  return driver_call([=](const RuntimeDriver& driver) {
    if (into == nullptr) return error::invalid_value;
    FirstProperties first{};
    const int result = driver.device_name(first.name, sizeof first.name, device);
    if (result != error::success) return result;
    driver.device_uuid(&first.uuid, device);
    driver.device_memory(&first.memory_bytes, device);
    std::memset(into, 0, static_cast<std::size_t>(extent.bytes));
    std::memcpy(into, &first, sizeof first);
    tell_attributes(driver, static_cast<char*>(into), device, extent.last_attribute);
    return error::success;
  });
}

}  // namespace vramlab::dry_run
