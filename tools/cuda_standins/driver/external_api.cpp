// Objects of others that are mapped here: multicast objects, memory of other interfaces (Vulkan and
// the like), and pools of other processes. None of them counts here.
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "tools/cuda_standins/driver/driver_call.h"
#include "tools/cuda_standins/driver/driver_types.h"

using namespace vramlab::dry_run;

namespace {

CUresult map_here(StandInDriver& driver, CUdeviceptr* at, std::uint64_t bytes) {
  if (at == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  const auto got = driver.memory().allocate({.bytes = bytes,
                                             .kind = MemoryKind::external,
                                             .device = driver.current().device,
                                             .context = driver.current().number});
  return got ? give(driver, at, *got) : CUDA_ERROR_OUT_OF_MEMORY;
}

}  // namespace

STAND_IN_CALL(cuMulticastCreate)
(CUmemGenericAllocationHandle* handle, const CUmulticastObjectProp* wish) {
  const auto body = [=](StandInDriver& driver) {
    const bool is_valid = handle != nullptr && wish != nullptr && wish->numDevices > 0 &&
                          wish->flags == 0 && wish->size > 0 &&
                          wish->size % driver.memory().granularity() == 0;
    if (!is_valid) return CUDA_ERROR_INVALID_VALUE;
    return give(driver, handle, driver.memory().import_physical(0, wish->size));
  };
  return driver_call({"cuMulticastCreate", initialised}, body);
}

STAND_IN_CALL(cuImportExternalMemory)
(CUexternalMemory* memory, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC* what) {
  const auto body = [=](StandInDriver& driver) {
    if (memory == nullptr || what == nullptr || what->size == 0) return CUDA_ERROR_INVALID_VALUE;
    if (what->type != CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD) return CUDA_ERROR_NOT_SUPPORTED;
    const std::uint64_t object =
        driver.memory().import_physical(driver.current().device, what->size);
    *memory = handle_of<CUexternalMemory>(object);
    return CUDA_SUCCESS;
  };
  return driver_call({"cuImportExternalMemory", context}, body);
}
STAND_IN_CALL(cuExternalMemoryGetMappedBuffer)
(CUdeviceptr* at, CUexternalMemory memory, const CUDA_EXTERNAL_MEMORY_BUFFER_DESC* what) {
  const auto body = [=](StandInDriver& driver) {
    const PhysicalMemory* const object = driver.memory().find_physical(value_of(memory));
    if (object == nullptr || what == nullptr || what->flags != 0 || what->size > object->bytes ||
        what->offset > object->bytes - what->size)
      return CUDA_ERROR_INVALID_VALUE;
    return map_here(driver, at, what->size);
  };
  return driver_call({"cuExternalMemoryGetMappedBuffer", context}, body, memory);
}
STAND_IN_CALL(cuDestroyExternalMemory)(CUexternalMemory memory) {
  const auto body = [=](StandInDriver& driver) {
    return refuse_unless(driver.memory().release_physical(value_of(memory)));
  };
  return driver_call({"cuDestroyExternalMemory", context}, body, memory);
}

STAND_IN_CALL(cuMemPoolExportPointer)(CUmemPoolPtrExportData* data, CUdeviceptr at) {
  const auto body = [=](StandInDriver& driver) {
    const Allocation* const found = driver.memory().find(at);
    if (data == nullptr || found == nullptr || found->at != at || found->kind != MemoryKind::pool)
      return CUDA_ERROR_INVALID_VALUE;
    *data = {};
    std::memcpy(data->reserved, &found->bytes, sizeof found->bytes);
    return CUDA_SUCCESS;
  };
  return driver_call({"cuMemPoolExportPointer", context}, body, at);
}
STAND_IN_CALL(cuMemPoolImportPointer)
(CUdeviceptr* at, CUmemoryPool pool, CUmemPoolPtrExportData* data) {
  const auto body = [=](StandInDriver& driver) {
    if (data == nullptr || !driver.pools().has(value_of(pool))) return CUDA_ERROR_INVALID_VALUE;
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, data->reserved, sizeof bytes);
    return map_here(driver, at, bytes);
  };
  return driver_call({"cuMemPoolImportPointer", context}, body, pool);
}
STAND_IN_CALL(cuMemPoolExportToShareableHandle)
(void* into, CUmemoryPool pool, CUmemAllocationHandleType type, unsigned long long /*flags*/) {
  const auto body = [=](StandInDriver& driver) {
    if (into == nullptr || !driver.pools().has(value_of(pool))) return CUDA_ERROR_INVALID_VALUE;
    if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_NOT_SUPPORTED;
    const std::uint32_t device = driver.pools().device_of(value_of(pool));
    const int file = memfd_create("a pool of a dry run", MFD_CLOEXEC);
    if (file < 0) return CUDA_ERROR_UNKNOWN;
    if (pwrite(file, &device, sizeof device, 0) != sizeof device) {
      close(file);
      return CUDA_ERROR_UNKNOWN;
    }
    return put(into, file);
  };
  return driver_call({"cuMemPoolExportToShareableHandle", initialised}, body, pool);
}
STAND_IN_CALL(cuMemPoolImportFromShareableHandle)
(CUmemoryPool* pool, void* from, CUmemAllocationHandleType type, unsigned long long /*flags*/) {
  const auto body = [=](StandInDriver& driver) {
    if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_NOT_SUPPORTED;
    std::uint32_t device = 0;
    const bool is_ours =
        pread(static_cast<int>(as_number(from)), &device, sizeof device, 0) == sizeof device;
    if (pool == nullptr || !is_ours || !has_device(driver, static_cast<int>(device)))
      return CUDA_ERROR_INVALID_VALUE;
    *pool = handle_of<CUmemoryPool>(driver.pools().create(device));
    return CUDA_SUCCESS;
  };
  return driver_call({"cuMemPoolImportFromShareableHandle", initialised}, body);
}
