// Memory that other processes use: by handles of allocations, and by files that stand for physical
// memory. It counts in the process that made it; in others it has addresses only.
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "tools/cuda_standins/driver/driver_call.h"
#include "tools/cuda_standins/driver/driver_types.h"

using namespace vramlab::dry_run;

namespace {

/// The contents of a handle.
struct Shared {
  std::uint64_t id = 0;
  std::uint64_t bytes = 0;
  std::int32_t process = 0;
  std::uint32_t device = 0;
};
static_assert(sizeof(Shared) <= sizeof(CUipcMemHandle));

/// An allocation by its id, so that memory which comes back has another handle.
CUresult export_memory(StandInDriver& driver, CUipcMemHandle* handle, CUdeviceptr at) {
  Allocation* const found = driver.memory().find(at);
  if (handle == nullptr || found == nullptr || found->kind != MemoryKind::device)
    return CUDA_ERROR_INVALID_VALUE;
  found->is_exported = true;
  const Shared shared{found->buffer_id, found->bytes, getpid(), found->device};
  *handle = {};
  std::memcpy(handle->reserved, &shared, sizeof shared);
  return CUDA_SUCCESS;
}

CUresult import_own(StandInDriver& driver, CUdeviceptr* at, const Shared& shared) {
  for (const auto& [begin, allocation] : driver.memory().allocations())
    if (allocation.buffer_id == shared.id && allocation.is_exported) return give(driver, at, begin);
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult import_memory(const char* name, CUdeviceptr* at, const CUipcMemHandle& handle) {
  const auto body = [=](StandInDriver& driver) {
    Shared shared;
    std::memcpy(&shared, handle.reserved, sizeof shared);
    if (shared.process == getpid()) return import_own(driver, at, shared);
    if (at == nullptr || shared.bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    const auto got = driver.memory().allocate({.bytes = shared.bytes,
                                               .kind = MemoryKind::imported,
                                               .device = driver.current().device,
                                               .context = driver.current().number});
    return got ? give(driver, at, *got) : CUDA_ERROR_OUT_OF_MEMORY;
  };
  return driver_call({name, context}, body);
}

CUresult close_memory(StandInDriver& driver, CUdeviceptr at) {
  const Allocation* const found = driver.memory().find(at);
  if (found == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (found->kind == MemoryKind::imported) driver.release(*found, ReleaseKind::waits);
  return CUDA_SUCCESS;
}

/// Makes the file; -1 on failure.
int file_for(const Shared& shared) {
  const int file = memfd_create("memory of a dry run", MFD_CLOEXEC);
  if (file >= 0 && pwrite(file, &shared, sizeof shared, 0) == sizeof shared) return file;
  if (file >= 0) close(file);
  return -1;
}

}  // namespace

STAND_IN_CALL(cuIpcGetMemHandle)(CUipcMemHandle* handle, CUdeviceptr at) {
  const auto body = [=](StandInDriver& driver) { return export_memory(driver, handle, at); };
  return driver_call({"cuIpcGetMemHandle", context}, body, at);
}
STAND_IN_CALL(cuIpcOpenMemHandle)
(CUdeviceptr* at, CUipcMemHandle handle, unsigned /*flags*/) {
  return import_memory("cuIpcOpenMemHandle", at, handle);
}
STAND_IN_CALL(cuIpcOpenMemHandle_v2)
(CUdeviceptr* at, CUipcMemHandle handle, unsigned /*flags*/) {
  return import_memory("cuIpcOpenMemHandle_v2", at, handle);
}
STAND_IN_CALL(cuIpcCloseMemHandle)(CUdeviceptr at) {
  const auto body = [=](StandInDriver& driver) { return close_memory(driver, at); };
  return driver_call({"cuIpcCloseMemHandle", context}, body, at);
}
STAND_IN_CALL(cuMemExportToShareableHandle)
(void* into, CUmemGenericAllocationHandle handle, CUmemAllocationHandleType type,
 unsigned long long /*flags*/) {
  const auto body = [=](StandInDriver& driver) {
    const PhysicalMemory* const memory = driver.memory().find_physical(handle);
    if (into == nullptr || memory == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_NOT_SUPPORTED;
    const int file = file_for({handle, memory->bytes, getpid(), memory->device});
    if (file < 0) return CUDA_ERROR_UNKNOWN;
    std::memcpy(into, &file, sizeof file);
    return CUDA_SUCCESS;
  };
  return driver_call({"cuMemExportToShareableHandle", initialised}, body, handle);
}
namespace {
/// Memory of this process is the same memory, which another handle keeps: CUDA promises no new
/// number.
CUresult import_physical(StandInDriver& driver, CUmemGenericAllocationHandle* handle,
                         const Shared& shared) {
  PhysicalMemory* const own =
      shared.process == getpid() ? driver.memory().find_physical(shared.id) : nullptr;
  if (own == nullptr)
    return give(driver, handle, driver.memory().import_physical(shared.device, shared.bytes));
  ++own->handles;
  return give(driver, handle, shared.id);
}
}  // namespace
/// The file is the handle itself, as a number.
STAND_IN_CALL(cuMemImportFromShareableHandle)
(CUmemGenericAllocationHandle* handle, void* from, CUmemAllocationHandleType type) {
  const auto body = [=](StandInDriver& driver) {
    if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_NOT_SUPPORTED;
    Shared shared;
    const int file = static_cast<int>(as_number(from));
    const bool is_ours = pread(file, &shared, sizeof shared, 0) == sizeof shared;
    if (handle == nullptr || !is_ours || !has_device(driver, static_cast<int>(shared.device)))
      return CUDA_ERROR_INVALID_VALUE;
    return import_physical(driver, handle, shared);
  };
  return driver_call({"cuMemImportFromShareableHandle", initialised}, body);
}

// Objects of others that are mapped here: multicast objects, memory of other interfaces (Vulkan and
// the like), and pools of other processes. None of them counts here.

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
