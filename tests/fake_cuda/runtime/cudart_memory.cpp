// CUDA's runtime: memory.
#include <cstdint>

#include "tests/fake_cuda/runtime/runtime_state.h"

using namespace vramlab::fake;

namespace {

CUdeviceptr address(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory); }
CUstream as_stream(void* stream) { return static_cast<CUstream>(stream); }

/// Zero bytes are no error here, unlike in the driver.
template <class Allocate>
int allocate(void** memory, std::size_t bytes, const Allocate& call) {
  return runtime_call([&](const RuntimeDriver& driver) {
    if (memory == nullptr) return CUDA_ERROR_INVALID_VALUE;
    CUdeviceptr at = 0;
    const CUresult result = bytes == 0 ? CUDA_SUCCESS : call(driver, &at);
    if (result == CUDA_SUCCESS) *memory = reinterpret_cast<void*>(at);
    return result;
  });
}

}  // namespace

int cudaMalloc(void** memory, std::size_t bytes) {
  return allocate(memory, bytes, [=](const RuntimeDriver& driver, CUdeviceptr* at) {
    return driver.mem_alloc(at, bytes);
  });
}
int cudaFree(void* memory) {
  return runtime_call(
      [=](const RuntimeDriver& driver) { return driver.mem_free(address(memory)); });
}
int cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return runtime_call(
      [=](const RuntimeDriver& driver) { return driver.mem_get_info(free, total); });
}
int cudaMallocManaged(void** memory, std::size_t bytes, unsigned flags) {
  return allocate(memory, bytes, [=](const RuntimeDriver& driver, CUdeviceptr* at) {
    return driver.alloc_managed(at, bytes, flags);
  });
}
int cudaHostAlloc(void** memory, std::size_t bytes, unsigned flags) {
  return runtime_call(
      [=](const RuntimeDriver& driver) { return driver.host_alloc(memory, bytes, flags); });
}
int cudaMallocHost(void** memory, std::size_t bytes) { return cudaHostAlloc(memory, bytes, 0); }
int cudaFreeHost(void* memory) {
  return runtime_call([=](const RuntimeDriver& driver) { return driver.host_free(memory); });
}
int cudaMallocAsync(void** memory, std::size_t bytes, void* stream) {
  return allocate(memory, bytes, [=](const RuntimeDriver& driver, CUdeviceptr* at) {
    return driver.alloc_async(at, bytes, as_stream(stream));
  });
}
int cudaMallocAsync_ptsz(void** memory, std::size_t bytes, void* stream) {
  return allocate(memory, bytes, [=](const RuntimeDriver& driver, CUdeviceptr* at) {
    return driver.alloc_async_own(at, bytes, as_stream(stream));
  });
}
int cudaFreeAsync(void* memory, void* stream) {
  return runtime_call([=](const RuntimeDriver& driver) {
    return driver.free_async(address(memory), as_stream(stream));
  });
}
int cudaFreeAsync_ptsz(void* memory, void* stream) {
  return runtime_call([=](const RuntimeDriver& driver) {
    return driver.free_async_own(address(memory), as_stream(stream));
  });
}
int cudaMemcpy(void* to, const void* from, std::size_t bytes, int /*kind*/) {
  return runtime_call(
      [=](const RuntimeDriver& driver) { return driver.copy(address(to), address(from), bytes); });
}
int cudaMemcpy_ptds(void* to, const void* from, std::size_t bytes, int /*kind*/) {
  return runtime_call([=](const RuntimeDriver& driver) {
    return driver.copy_own(address(to), address(from), bytes);
  });
}
int cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, int /*kind*/, void* stream) {
  return runtime_call([=](const RuntimeDriver& driver) {
    return driver.copy_async(address(to), address(from), bytes, as_stream(stream));
  });
}
int cudaMemset(void* at, int value, std::size_t bytes) {
  return runtime_call([=](const RuntimeDriver& driver) {
    return driver.set(address(at), static_cast<unsigned char>(value), bytes);
  });
}
int cudaMemsetAsync(void* at, int value, std::size_t bytes, void* stream) {
  return runtime_call([=](const RuntimeDriver& driver) {
    return driver.set_async(address(at), static_cast<unsigned char>(value), bytes,
                            as_stream(stream));
  });
}
