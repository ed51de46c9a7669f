// CUDA's runtime: memory of devices and of the host.
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
CUDART_FORWARD(cudaMemGetInfo, mem_get_info, (size_t * free, size_t* total), free, total)
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
