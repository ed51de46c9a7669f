// Memory: allocations, host memory, arrays, and the attributes of pointers.
#include <algorithm>
#include <cstring>

#include "tools/cuda_standins/driver/driver_call.h"
#include "tools/cuda_standins/driver/driver_types.h"

using namespace vramlab::dry_run;

namespace {

struct MemoryWish {
  std::uint64_t bytes;
  MemoryKind kind = MemoryKind::device;
  unsigned flags = 0;
};

std::variant<std::uint64_t, CUresult> allocate(StandInDriver& driver, const MemoryWish& wish) {
  if (wish.bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult refused = driver.check_unsafe_call(); refused != CUDA_SUCCESS) return refused;
  const Context& owner = driver.current();
  const auto at = driver.memory().allocate({.bytes = wish.bytes,
                                            .kind = wish.kind,
                                            .device = owner.device,
                                            .context = owner.number,
                                            .flags = wish.flags});
  if (!at) return CUDA_ERROR_OUT_OF_MEMORY;
  return *at;
}

template <class Output>
CUresult give_memory(StandInDriver& driver, Output* output, const MemoryWish& wish) {
  if (output == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const auto got = allocate(driver, wish);
  if (const CUresult* refused = std::get_if<CUresult>(&got)) return *refused;
  const std::uint64_t at = std::get<std::uint64_t>(got);
  std::memcpy(output, &at, sizeof at);
  driver.set_output(at);
  return CUDA_SUCCESS;
}

CUresult free_memory(StandInDriver& driver, std::uint64_t at, bool is_host) {
  if (at == 0) return CUDA_SUCCESS;
  const Allocation* const found = driver.memory().find(at);
  if (found == nullptr || found->at != at || found->kind == MemoryKind::registered_host ||
      found->kind == MemoryKind::array || found->kind == MemoryKind::imported ||
      (found->kind == MemoryKind::pinned_host) != is_host)
    return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult refused = driver.check_unsafe_call(); refused != CUDA_SUCCESS) return refused;
  if (is_host) driver.pinned().add({PinnedCallKind::host_free, found->bytes});
  // Its graph keeps the addresses for the next launch.
  if (found->kind == MemoryKind::graph) return driver.graph_memory().free(at);
  const bool waits =
      driver.options().free_rule == FreeRule::waits_for_context && found->kind != MemoryKind::pool;
  driver.release(*found, waits ? ReleaseKind::waits : ReleaseKind::at_once);
  return CUDA_SUCCESS;
}

/// By the driver, or the program's own memory since it was registered.
bool is_pinned(MemoryKind kind) {
  return kind == MemoryKind::pinned_host || kind == MemoryKind::registered_host;
}

CUresult host_alloc(const char* name, void** memory, std::size_t bytes, unsigned flags) {
  const auto body = [=](StandInDriver& driver) {
    const CUresult result = give_memory(driver, memory, {bytes, MemoryKind::pinned_host, flags});
    if (result == CUDA_SUCCESS) driver.pinned().add({PinnedCallKind::host_alloc, bytes});
    return result;
  };
  return driver_call({name, context}, body, bytes, flags);
}

}  // namespace

STAND_IN_CALL(cuMemAlloc_v2)(CUdeviceptr* at, std::size_t bytes) {
  const auto body = [=](StandInDriver& driver) { return give_memory(driver, at, {bytes}); };
  return driver_call({"cuMemAlloc_v2", context}, body, bytes);
}
STAND_IN_CALL(cuMemAllocPitch_v2)
(CUdeviceptr* at, std::size_t* pitch, std::size_t width, std::size_t height, unsigned element) {
  const auto body = [=](StandInDriver& driver) {
    if (pitch == nullptr || (element != 4 && element != 8 && element != 16))
      return CUDA_ERROR_INVALID_VALUE;
    const std::size_t row = (width + 511) / 512 * 512;
    const CUresult result = give_memory(driver, at, {row * height});
    if (result == CUDA_SUCCESS) *pitch = row;
    return result;
  };
  return driver_call({"cuMemAllocPitch_v2", context}, body, width, height, element);
}
STAND_IN_CALL(cuMemAllocManaged)(CUdeviceptr* at, std::size_t bytes, unsigned flags) {
  const auto body = [=](StandInDriver& driver) {
    return give_memory(driver, at, {bytes, MemoryKind::managed, flags});
  };
  return driver_call({"cuMemAllocManaged", context}, body, bytes, flags);
}
STAND_IN_CALL(cuMemFree_v2)(CUdeviceptr at) {
  const auto body = [=](StandInDriver& driver) { return free_memory(driver, at, false); };
  return driver_call({"cuMemFree_v2", context}, body, at);
}
STAND_IN_CALL(cuMemHostAlloc)(void** memory, std::size_t bytes, unsigned flags) {
  return host_alloc("cuMemHostAlloc", memory, bytes, flags);
}
STAND_IN_CALL(cuMemAllocHost_v2)(void** memory, std::size_t bytes) {
  return host_alloc("cuMemAllocHost_v2", memory, bytes, 0);
}
STAND_IN_CALL(cuMemFreeHost)(void* memory) {
  const auto body = [=](StandInDriver& driver) {
    return free_memory(driver, as_number(memory), true);
  };
  return driver_call({"cuMemFreeHost", context}, body, memory);
}
STAND_IN_CALL(cuMemHostGetDevicePointer_v2)(CUdeviceptr* at, void* memory, unsigned /*flags*/) {
  const auto body = [=](StandInDriver& driver) {
    const Allocation* const found = driver.memory().find(as_number(memory));
    if (found == nullptr || !is_pinned(found->kind)) return CUDA_ERROR_INVALID_VALUE;
    return give(driver, at, as_number(memory));
  };
  return driver_call({"cuMemHostGetDevicePointer_v2", context}, body, memory);
}
STAND_IN_CALL(cuMemHostGetFlags)(unsigned* flags, void* memory) {
  const auto body = [=](StandInDriver& driver) {
    const Allocation* const found = driver.memory().find(as_number(memory));
    if (found == nullptr || !is_pinned(found->kind)) return CUDA_ERROR_INVALID_VALUE;
    return give(driver, flags, found->flags);
  };
  return driver_call({"cuMemHostGetFlags", context}, body, memory);
}

STAND_IN_CALL(cuMemGetInfo_v2)(std::size_t* free, std::size_t* total) {
  const auto body = [=](StandInDriver& driver) {
    const auto info = driver.memory().info(driver.current().device);
    if (free != nullptr) *free = info.free.count;
    if (total != nullptr) *total = info.total.count;
    return CUDA_SUCCESS;
  };
  return driver_call({"cuMemGetInfo_v2", context}, body);
}
STAND_IN_CALL(cuMemGetAddressRange_v2)(CUdeviceptr* base, std::size_t* bytes, CUdeviceptr at) {
  const auto body = [=](StandInDriver& driver) {
    std::uint64_t begin = 0;
    std::uint64_t size = 0;
    if (const Allocation* const found = driver.memory().find(at)) {
      begin = found->at;
      size = found->bytes;
    } else if (const auto* mapping = driver.memory().find_mapping(at)) {
      begin = mapping->first;
      size = mapping->second.bytes;
    } else {
      return CUDA_ERROR_NOT_FOUND;
    }
    if (base != nullptr) *base = begin;
    if (bytes != nullptr) *bytes = size;
    return CUDA_SUCCESS;
  };
  return driver_call({"cuMemGetAddressRange_v2", initialised}, body, at);
}
STAND_IN_CALL(cuMemGetHandleForAddressRange)
(void* handle, CUdeviceptr at, std::size_t bytes, CUmemRangeHandleType type,
 unsigned long long flags) {
  const auto body = [=](StandInDriver& driver) {
    if (handle == nullptr || bytes == 0 ||
        !driver.memory().is_usable(at, bytes, driver.current().device))
      return CUDA_ERROR_INVALID_VALUE;
    // A number that is no open file.
    const int file = -1000 - static_cast<int>(at >> 21 & 0xffffff);
    std::memcpy(handle, &file, sizeof file);
    return CUDA_SUCCESS;
  };
  return driver_call({"cuMemGetHandleForAddressRange", context}, body, at, bytes, type, flags);
}

// Arrays, which are memory without an address for programs, and host memory of the program's own.

namespace {

template <class Handle>
CUresult create_array(const char* name, Handle* array, std::uint64_t elements) {
  const auto body = [=](StandInDriver& driver) {
    if (array == nullptr || elements == 0) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult refused = driver.check_unsafe_call(); refused != CUDA_SUCCESS)
      return refused;
    const Context& owner = driver.current();
    // The largest elements that exist: exact sizes of arrays are not modelled.
    const auto at = driver.memory().allocate({.bytes = 16 * elements,
                                              .kind = MemoryKind::array,
                                              .device = owner.device,
                                              .context = owner.number});
    if (!at) return CUDA_ERROR_OUT_OF_MEMORY;
    const std::uint64_t handle = driver.streams().take_handle();
    driver.arrays()[handle] = *at;
    *array = handle_of<Handle>(handle);
    driver.set_output(handle);
    return CUDA_SUCCESS;
  };
  return driver_call({name, context}, body, elements);
}

template <class Handle>
CUresult destroy_array(const char* name, Handle array) {
  const auto body = [=](StandInDriver& driver) {
    const auto found = driver.arrays().find(value_of(array));
    if (found == driver.arrays().end()) return CUDA_ERROR_INVALID_HANDLE;
    if (const CUresult refused = driver.check_unsafe_call(); refused != CUDA_SUCCESS)
      return refused;
    if (const Allocation* const memory = driver.memory().find(found->second))
      driver.release(*memory, ReleaseKind::waits);
    driver.arrays().erase(found);
    return CUDA_SUCCESS;
  };
  return driver_call({name, context}, body, array);
}

std::uint64_t at_least_1(std::size_t count) { return std::max<std::size_t>(count, 1); }

}  // namespace

STAND_IN_CALL(cuArrayCreate_v2)(CUarray* array, const CUDA_ARRAY_DESCRIPTOR* wish) {
  return create_array("cuArrayCreate_v2", array,
                      wish == nullptr ? 0 : wish->Width * at_least_1(wish->Height));
}
STAND_IN_CALL(cuArray3DCreate_v2)(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* wish) {
  return create_array(
      "cuArray3DCreate_v2", array,
      wish == nullptr ? 0 : wish->Width * at_least_1(wish->Height) * at_least_1(wish->Depth));
}
STAND_IN_CALL(cuArrayDestroy)(CUarray array) { return destroy_array("cuArrayDestroy", array); }
STAND_IN_CALL(cuMipmappedArrayCreate)
(CUmipmappedArray* array, const CUDA_ARRAY3D_DESCRIPTOR* wish, unsigned levels) {
  return create_array("cuMipmappedArrayCreate", array,
                      wish == nullptr ? 0 : levels * wish->Width * at_least_1(wish->Height));
}
STAND_IN_CALL(cuMipmappedArrayDestroy)(CUmipmappedArray array) {
  return destroy_array("cuMipmappedArrayDestroy", array);
}

STAND_IN_CALL(cuMemHostRegister_v2)(void* memory, std::size_t bytes, unsigned flags) {
  const auto body = [=](StandInDriver& driver) {
    const std::uint64_t at = as_number(memory);
    if (memory == nullptr || bytes == 0 || bytes > DeviceMemory::most_bytes ||
        at > DeviceMemory::most_bytes)
      return CUDA_ERROR_INVALID_VALUE;
    if (driver.memory().find(at) != nullptr) return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    driver.memory().allocate({.at = at,
                              .bytes = bytes,
                              .kind = MemoryKind::registered_host,
                              .device = driver.current().device,
                              .context = driver.current().number,
                              .flags = flags});
    driver.pinned().add({PinnedCallKind::host_register, bytes});
    return CUDA_SUCCESS;
  };
  return driver_call({"cuMemHostRegister_v2", context}, body, memory, bytes, flags);
}
STAND_IN_CALL(cuMemHostUnregister)(void* memory) {
  const auto body = [=](StandInDriver& driver) {
    const Allocation* const found = driver.memory().find(as_number(memory));
    if (found == nullptr || found->at != as_number(memory) ||
        found->kind != MemoryKind::registered_host)
      return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
    driver.pinned().add({PinnedCallKind::host_unregister, found->bytes});
    driver.release(*found, ReleaseKind::waits);
    return CUDA_SUCCESS;
  };
  return driver_call({"cuMemHostUnregister", context}, body, memory);
}

// The attributes of pointers.

namespace {

unsigned memory_type(const Allocation& of) {
  return is_pinned(of.kind) ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
}

bool has_host_address(const Allocation& of) {
  return is_pinned(of.kind) || of.kind == MemoryKind::managed;
}

CUresult put_context(StandInDriver& driver, void* into, const Allocation& of) {
  const Context* const owner = driver.contexts().find_number(of.context);
  return put(into, owner == nullptr ? CUcontext{} : handle_of<CUcontext>(owner->handle));
}

CUresult put_attribute(StandInDriver& driver, void* into, CUpointer_attribute attribute,
                       const Allocation& of) {
  switch (static_cast<unsigned>(attribute)) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return put_context(driver, into, of);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return put(into, memory_type(of));
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return put(into, of.kind == MemoryKind::managed ? 1U : 0U);
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
      return put(into, of.sync_memops ? 1U : 0U);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      return put(into, static_cast<unsigned long long>(of.buffer_id));
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return put(into, static_cast<int>(of.device));
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return put(into, of.at);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      return put(into, static_cast<std::size_t>(of.bytes));
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return put(into, 1U);
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
      return put(into, of.kind == MemoryKind::device ? 1U : 0U);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      return has_host_address(of) ? put(into, of.at) : CUDA_ERROR_INVALID_VALUE;
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
      return put(into, 0ULL);
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
      return put(into, 0U);
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      return put(into, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      return put(into, of.kind == MemoryKind::pool ? MemoryPools::default_pool(of.device) : 0);
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
      return put(into, static_cast<std::size_t>(of.bytes));
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
      return put(into, of.at);
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
      return put(into, static_cast<unsigned long long>(of.buffer_id));
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

/// The answer for a pointer that CUDA does not know: zeros.
void put_nothing(void* into, CUpointer_attribute attribute) {
  switch (static_cast<unsigned>(attribute)) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_MAPPED:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      put(into, 0U);
      break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      put(into, -2);
      break;
    case CU_POINTER_ATTRIBUTE_P2P_TOKENS:
      break;
    default:
      put(into, 0ULL);
  }
}

/// Mapped memory counts as allocated.
std::optional<Allocation> known_at(StandInDriver& driver, CUdeviceptr at) {
  if (const Allocation* const found = driver.memory().find(at)) return *found;
  const auto* const mapping = driver.memory().find_mapping(at);
  if (mapping == nullptr) return std::nullopt;
  const PhysicalMemory& memory = *driver.memory().find_physical(mapping->second.physical);
  return Allocation{.at = mapping->first,
                    .bytes = mapping->second.bytes,
                    .kind = MemoryKind::pool,
                    .device = memory.device,
                    .buffer_id = 1ULL << 32 | mapping->second.physical};
}

CUresult get_attribute(StandInDriver& driver, void* into, CUpointer_attribute attribute,
                       CUdeviceptr at) {
  if (into == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const auto known = known_at(driver, at);
  if (!known) return CUDA_ERROR_INVALID_VALUE;
  if (attribute == CU_POINTER_ATTRIBUTE_DEVICE_POINTER) return put(into, at);
  return put_attribute(driver, into, attribute, *known);
}

}  // namespace

STAND_IN_CALL(cuPointerGetAttribute)(void* into, CUpointer_attribute attribute, CUdeviceptr at) {
  const auto body = [=](StandInDriver& driver) {
    return get_attribute(driver, into, attribute, at);
  };
  return driver_call({"cuPointerGetAttribute", initialised}, body, attribute, at);
}
STAND_IN_CALL(cuPointerGetAttributes)
(unsigned count, CUpointer_attribute* attributes, void** into, CUdeviceptr at) {
  const auto body = [=](StandInDriver& driver) {
    if (attributes == nullptr || into == nullptr) return CUDA_ERROR_INVALID_VALUE;
    for (unsigned place = 0; place < count; ++place)
      if (get_attribute(driver, into[place], attributes[place], at) != CUDA_SUCCESS &&
          into[place] != nullptr)
        put_nothing(into[place], attributes[place]);
    return CUDA_SUCCESS;
  };
  return driver_call({"cuPointerGetAttributes", initialised}, body, count, at);
}
STAND_IN_CALL(cuPointerSetAttribute)
(const void* value, CUpointer_attribute attribute, CUdeviceptr at) {
  const auto body = [=](StandInDriver& driver) {
    Allocation* const found = driver.memory().find(at);
    if (value == nullptr || found == nullptr || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS)
      return CUDA_ERROR_INVALID_VALUE;
    unsigned wanted = 0;
    std::memcpy(&wanted, value, sizeof wanted);
    found->sync_memops = wanted != 0;
    return CUDA_SUCCESS;
  };
  return driver_call({"cuPointerSetAttribute", initialised}, body, attribute, at);
}
