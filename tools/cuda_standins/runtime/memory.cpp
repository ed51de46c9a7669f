// CUDA's runtime: memory of devices and of the host, pools, the attributes of pointers, and handles
// for other processes.
#include <cstdint>
#include <cstring>

#include "tools/cuda_standins/runtime/runtime_state.h"

using namespace vramlab::dry_run;

namespace {

/// Zero bytes are no error here, unlike in the driver: they give null.
template <class Allocate>
int allocate(void** memory, size_t bytes, const Allocate& call) {
  return runtime_call([&](const RuntimeDriver& driver) {
    if (memory == nullptr) return error::invalid_value;
    void* at = nullptr;
    const int result = bytes == 0 ? error::success : call(driver, &at);
    if (result == error::success) *memory = at;
    return result;
  });
}

int on_cudaMallocAsync(DefaultStream variant, void** memory, size_t bytes, cudaStream_t stream) {
  return allocate(memory, bytes, [=](const RuntimeDriver& driver, void** at) {
    return driver.alloc_async[variant](at, bytes, stream);
  });
}
int on_cudaMallocFromPoolAsync(DefaultStream variant, void** memory, size_t bytes,
                               cudaMemPool_t pool, cudaStream_t stream) {
  return allocate(memory, bytes, [=](const RuntimeDriver& driver, void** at) {
    return driver.alloc_from_pool[variant](at, bytes, pool, stream);
  });
}
int on_cudaFreeAsync(DefaultStream variant, void* memory, cudaStream_t stream) {
  return runtime_call([=](const RuntimeDriver& driver) {
    return memory == nullptr ? error::success : driver.free_async[variant](memory, stream);
  });
}

}  // namespace

CUDART_CALL(cudaMalloc)(void** memory, size_t bytes) {
  return allocate(memory, bytes, [=](const RuntimeDriver& driver, void** at) {
    return driver.mem_alloc(at, bytes);
  });
}
CUDART_CALL(cudaMallocManaged)(void** memory, size_t bytes, unsigned flags) {
  return allocate(memory, bytes, [=](const RuntimeDriver& driver, void** at) {
    return driver.alloc_managed(at, bytes, flags);
  });
}
CUDART_CALL(cudaMallocPitch)(void** memory, size_t* pitch, size_t width, size_t height) {
  constexpr unsigned element_bytes = 4;
  if (pitch == nullptr) return finish_call(error::invalid_value);
  *pitch = 0;
  return allocate(memory, width * height, [=](const RuntimeDriver& driver, void** at) {
    return driver.alloc_pitch(at, pitch, width, height, element_bytes);
  });
}
CUDART_CALL(cudaMalloc3D)(cudaPitchedPtr* memory, cudaExtent extent) {
  if (memory == nullptr) return finish_call(error::invalid_value);
  *memory = {nullptr, 0, extent.width, extent.height};
  return cudaMallocPitch(&memory->ptr, &memory->pitch, extent.width, extent.height * extent.depth);
}
CUDART_CALL(cudaFree)(void* memory) {
  return runtime_call([=](const RuntimeDriver& driver) {
    return memory == nullptr ? error::success : driver.mem_free(memory);
  });
}
CUDART_FORWARD(cudaMemGetInfo, mem_get_info, (size_t* free, size_t* total), free, total)
CUDART_TWINS(cudaMallocAsync, _ptsz, (void** memory, size_t bytes, cudaStream_t stream), memory,
             bytes, stream)
CUDART_TWINS(cudaMallocFromPoolAsync, _ptsz,
             (void** memory, size_t bytes, cudaMemPool_t pool, cudaStream_t stream), memory, bytes,
             pool, stream)
CUDART_TWINS(cudaFreeAsync, _ptsz, (void* memory, cudaStream_t stream), memory, stream)

CUDART_CALL(cudaHostAlloc)(void** memory, size_t bytes, unsigned flags) {
  return allocate(memory, bytes, [=](const RuntimeDriver& driver, void** at) {
    return driver.host_alloc(at, bytes, flags);
  });
}
CUDART_CALL(cudaMallocHost)(void** memory, size_t bytes) { return cudaHostAlloc(memory, bytes, 0); }
CUDART_CALL(cudaFreeHost)(void* memory) {
  return runtime_call([=](const RuntimeDriver& driver) {
    return memory == nullptr ? error::success : driver.host_free(memory);
  });
}
CUDART_FORWARD(cudaHostRegister, host_register, (void* memory, size_t bytes, unsigned flags),
               memory, bytes, flags)
CUDART_FORWARD(cudaHostUnregister, host_unregister, (void* memory), memory)
CUDART_FORWARD(cudaHostGetDevicePointer, host_device_pointer,
               (void** at, void* memory, unsigned flags), at, memory, flags)
CUDART_FORWARD(cudaHostGetFlags, host_flags, (unsigned* flags, void* memory), flags, memory)

// Managed memory.
CUDART_FORWARD(cudaMemAdvise_v2, advise_at,
               (const void* at, size_t bytes, int advice, cudaMemLocation location), at, bytes,
               advice, location)
CUDART_FORWARD_TWINS(cudaMemPrefetchAsync_v2, _ptsz, prefetch_to,
                     (const void* at, size_t bytes, cudaMemLocation location, unsigned flags,
                      cudaStream_t stream),
                     at, bytes, location, flags, stream)
CUDART_FORWARD(cudaMemRangeGetAttribute, range_attribute,
               (void* into, size_t into_bytes, int attribute, const void* at, size_t bytes), into,
               into_bytes, attribute, at, bytes)
CUDART_FORWARD(cudaMemRangeGetAttributes, range_attributes,
               (void** into, size_t* into_bytes, int* attributes, size_t count, const void* at,
                size_t bytes),
               into, into_bytes, attributes, count, at, bytes)

// Pools of memory, and the memory that graphs hold.

CUDART_FORWARD(cudaDeviceGetDefaultMemPool, default_pool, (cudaMemPool_t * pool, int device), pool,
               device)
CUDART_FORWARD(cudaDeviceGetMemPool, get_pool, (cudaMemPool_t * pool, int device), pool, device)
CUDART_FORWARD(cudaDeviceSetMemPool, set_pool, (int device, cudaMemPool_t pool), device, pool)
CUDART_FORWARD(cudaMemPoolCreate, pool_create,
               (cudaMemPool_t * pool, const cudaMemPoolProps* properties), pool, properties)
CUDART_FORWARD(cudaMemPoolDestroy, pool_destroy, (cudaMemPool_t pool), pool)
CUDART_FORWARD(cudaMemPoolTrimTo, pool_trim, (cudaMemPool_t pool, size_t bytes_to_keep), pool,
               bytes_to_keep)
CUDART_FORWARD(cudaMemPoolGetAttribute, pool_get, (cudaMemPool_t pool, int attribute, void* value),
               pool, attribute, value)
CUDART_FORWARD(cudaMemPoolSetAttribute, pool_set, (cudaMemPool_t pool, int attribute, void* value),
               pool, attribute, value)
CUDART_FORWARD(cudaMemPoolGetAccess, pool_get_access,
               (int* access, cudaMemPool_t pool, cudaMemLocation* location), access, pool, location)
CUDART_FORWARD(cudaMemPoolSetAccess, pool_set_access,
               (cudaMemPool_t pool, const cudaMemAccessDesc* access, size_t count), pool, access,
               count)
CUDART_FORWARD(cudaMemPoolExportToShareableHandle, pool_export,
               (void* handle, cudaMemPool_t pool, int kind, unsigned flags), handle, pool, kind,
               static_cast<unsigned long long>(flags))
CUDART_FORWARD(cudaMemPoolImportFromShareableHandle, pool_import,
               (cudaMemPool_t * pool, void* handle, int kind, unsigned flags), pool, handle, kind,
               static_cast<unsigned long long>(flags))
CUDART_FORWARD(cudaMemPoolExportPointer, pool_export_pointer, (void* into, void* memory), into,
               memory)
CUDART_FORWARD(cudaMemPoolImportPointer, pool_import_pointer,
               (void** memory, cudaMemPool_t pool, void* from), memory, pool, from)
CUDART_FORWARD(cudaDeviceGetGraphMemAttribute, get_graph_memory,
               (int device, int attribute, void* value), device, attribute, value)
CUDART_FORWARD(cudaDeviceSetGraphMemAttribute, set_graph_memory,
               (int device, int attribute, void* value), device, attribute, value)
CUDART_FORWARD(cudaDeviceGraphMemTrim, trim_graph_memory, (int device), device)

// Attributes of pointers. A pointer that CUDA does not know is no error.

namespace {

constexpr int unregistered_memory = 0;
constexpr int host_memory = 1;
constexpr int managed_memory = 3;
/// The bytes that CUDA 13 has behind the fields of CUDA 12.
constexpr std::size_t new_bytes = 64;

/// The attributes that the driver tells in one call.
struct Told {
  unsigned kind = 0;
  int device = -1;
  unsigned is_managed = 0;
  void* on_device = nullptr;
};

int ask(const RuntimeDriver& driver, const void* at, Told& told) {
  constexpr int memory_type = 2;
  constexpr int device_pointer = 3;
  constexpr int is_managed = 8;
  constexpr int device_ordinal = 9;
  int attributes[] = {memory_type, device_ordinal, is_managed, device_pointer};
  void* values[] = {&told.kind, &told.device, &told.is_managed, &told.on_device};
  return driver.pointer_attributes(4, attributes, values, at);
}

cudaPointerAttributes as_runtime(const Told& told, const void* at) {
  void* const address = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(at));
  if (told.kind == 0) return {unregistered_memory, -2, nullptr, address};
  if (told.is_managed != 0) return {managed_memory, told.device, address, address};
  if (told.kind == host_memory) return {host_memory, told.device, told.on_device, address};
  return {static_cast<int>(told.kind), told.device, told.on_device, nullptr};
}

}  // namespace

CUDART_CALL(cudaPointerGetAttributes)(cudaPointerAttributes* into, const void* at) {
  return runtime_call([=](const RuntimeDriver& driver) {
    if (into == nullptr) return error::invalid_value;
    Told told;
    const int result = ask(driver, at, told);
    if (result != error::success && result != error::invalid_value) return result;
    *into = as_runtime(told, at);
    if (runtime_version() >= first_version_13)
      std::memset(reinterpret_cast<char*>(into) + sizeof *into, 0, new_bytes);
    return error::success;
  });
}

// Handles for other processes.

CUDART_FORWARD(cudaIpcGetMemHandle, ipc_get_memory, (cudaIpcMemHandle_t * handle, void* memory),
               handle, memory)
CUDART_FORWARD(cudaIpcOpenMemHandle, ipc_open_memory,
               (void** memory, cudaIpcMemHandle_t handle, unsigned flags), memory, handle, flags)
CUDART_FORWARD(cudaIpcCloseMemHandle, ipc_close_memory, (void* memory), memory)
CUDART_FORWARD(cudaIpcGetEventHandle, ipc_get_event,
               (cudaIpcEventHandle_t * handle, cudaEvent_t event), handle, event)
CUDART_FORWARD(cudaIpcOpenEventHandle, ipc_open_event,
               (cudaEvent_t * event, cudaIpcEventHandle_t handle), event, handle)
