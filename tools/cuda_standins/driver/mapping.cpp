// Addresses, physical memory, and the mapping between them.
#include "tools/cuda_standins/driver/driver_call.h"
#include "tools/cuda_standins/driver/driver_types.h"
#include "tools/cuda_standins/notes/notes.h"

using namespace vramlab::dry_run;

namespace {

bool is_whole(StandInDriver& driver, std::uint64_t bytes) {
  return bytes > 0 && bytes % driver.memory().granularity() == 0;
}

/// XGBoost asks for memory of the host in this way, and ends without it.
void note_memory_of_the_host(const CUmemLocation& location) {
  if (is_on_host(location))
    vramlab_dry_run_note("unknown", "libcuda.so.1 cuMemCreate of the host's memory");
}

bool is_on_device(const StandInDriver& driver, const CUmemLocation& location) {
  return location.type == CU_MEM_LOCATION_TYPE_DEVICE && location.id >= 0 &&
         static_cast<std::uint32_t>(location.id) < driver.options().device_count;
}

bool set_access(StandInDriver& driver, vramlab::streams::AddressRange range,
                const CUmemAccessDesc& wish) {
  const bool is_none = wish.flags == CU_MEM_ACCESS_FLAGS_PROT_NONE;
  return driver.memory().set_access(
      range, static_cast<std::uint32_t>(wish.location.id),
      is_none ? DeviceMemory::Access::none : DeviceMemory::Access::all);
}

}  // namespace

STAND_IN_CALL(cuMemGetAllocationGranularity)
(std::size_t* bytes, const CUmemAllocationProp* wish, CUmemAllocationGranularity_flags option) {
  const auto body = [=](StandInDriver& driver) {
    if (wish == nullptr) return CUDA_ERROR_INVALID_VALUE;
    note_memory_of_the_host(wish->location);
    if (!is_on_device(driver, wish->location)) return CUDA_ERROR_INVALID_VALUE;
    return give(driver, bytes, driver.memory().granularity());
  };
  return driver_call({"cuMemGetAllocationGranularity", initialised}, body, option);
}
STAND_IN_CALL(cuMemAddressReserve)
(CUdeviceptr* at, std::size_t bytes, std::size_t alignment, CUdeviceptr /*hint*/,
 unsigned long long flags) {
  const auto body = [=](StandInDriver& driver) {
    if (at == nullptr || flags != 0 || !is_whole(driver, bytes) ||
        (alignment & (alignment - 1)) != 0)
      return CUDA_ERROR_INVALID_VALUE;
    if (!driver.options().has_memory_mapping) return CUDA_ERROR_NOT_SUPPORTED;
    const auto got = driver.memory().reserve(bytes);
    return got ? give(driver, at, *got) : CUDA_ERROR_OUT_OF_MEMORY;
  };
  return driver_call({"cuMemAddressReserve", initialised}, body, bytes, alignment);
}
STAND_IN_CALL(cuMemAddressFree)(CUdeviceptr at, std::size_t bytes) {
  const auto body = [=](StandInDriver& driver) {
    return refuse_unless(driver.memory().release_reservation(at, bytes));
  };
  return driver_call({"cuMemAddressFree", initialised}, body, at, bytes);
}
STAND_IN_CALL(cuMemCreate)
(CUmemGenericAllocationHandle* handle, std::size_t bytes, const CUmemAllocationProp* wish,
 unsigned long long flags) {
  const auto body = [=](StandInDriver& driver) {
    if (handle == nullptr || wish == nullptr || flags != 0 || !is_whole(driver, bytes))
      return CUDA_ERROR_INVALID_VALUE;
    note_memory_of_the_host(wish->location);
    if (!is_on_device(driver, wish->location)) return CUDA_ERROR_INVALID_DEVICE;
    if (!driver.options().has_memory_mapping) return CUDA_ERROR_NOT_SUPPORTED;
    const auto made =
        driver.memory().create_physical(static_cast<std::uint32_t>(wish->location.id), bytes);
    return made ? give(driver, handle, *made) : CUDA_ERROR_OUT_OF_MEMORY;
  };
  return driver_call({"cuMemCreate", initialised}, body, bytes);
}
STAND_IN_CALL(cuMemRelease)(CUmemGenericAllocationHandle handle) {
  const auto body = [=](StandInDriver& driver) {
    return refuse_unless(driver.memory().release_physical(handle));
  };
  return driver_call({"cuMemRelease", initialised}, body, handle);
}
STAND_IN_CALL(cuMemRetainAllocationHandle)(CUmemGenericAllocationHandle* handle, void* address) {
  const auto body = [=](StandInDriver& driver) {
    const auto* const mapping = driver.memory().find_mapping(as_number(address));
    if (mapping == nullptr) return CUDA_ERROR_INVALID_VALUE;
    ++driver.memory().find_physical(mapping->second.physical)->handles;
    return give(driver, handle, mapping->second.physical);
  };
  return driver_call({"cuMemRetainAllocationHandle", initialised}, body, address);
}
STAND_IN_CALL(cuMemMap)
(CUdeviceptr at, std::size_t bytes, std::size_t offset, CUmemGenericAllocationHandle handle,
 unsigned long long flags) {
  const auto body = [=](StandInDriver& driver) {
    const PhysicalMemory* const memory = driver.memory().find_physical(handle);
    if (memory == nullptr || memory->bytes != bytes || offset != 0 || flags != 0)
      return CUDA_ERROR_INVALID_VALUE;
    return refuse_unless(driver.memory().map(at, bytes, handle));
  };
  return driver_call({"cuMemMap", initialised}, body, at, bytes, handle);
}
STAND_IN_CALL(cuMemUnmap)(CUdeviceptr at, std::size_t bytes) {
  const auto body = [=](StandInDriver& driver) {
    const bool is_mapped = driver.memory().find_mapping(at) != nullptr;
    if (is_mapped) driver.tell_release(at, bytes, ReleaseKind::at_once);
    return refuse_unless(driver.memory().unmap(at, bytes));
  };
  return driver_call({"cuMemUnmap", initialised}, body, at, bytes);
}
STAND_IN_CALL(cuMemSetAccess)
(CUdeviceptr at, std::size_t bytes, const CUmemAccessDesc* access, std::size_t count) {
  const auto body = [=](StandInDriver& driver) {
    if (access == nullptr || count == 0) return CUDA_ERROR_INVALID_VALUE;
    for (std::size_t place = 0; place < count; ++place)
      if (!is_on_device(driver, access[place].location)) return CUDA_ERROR_INVALID_DEVICE;
    for (std::size_t place = 0; place < count; ++place)
      if (!set_access(driver, {{at}, {at + bytes}}, access[place])) return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
  };
  return driver_call({"cuMemSetAccess", initialised}, body, at, bytes, count);
}

STAND_IN_CALL(cuMemGetAccess)
(unsigned long long* access, const CUmemLocation* location, CUdeviceptr at) {
  const auto body = [=](StandInDriver& driver) {
    const auto* const mapping = driver.memory().find_mapping(at);
    if (mapping == nullptr || location == nullptr || !is_on_device(driver, *location))
      return CUDA_ERROR_INVALID_VALUE;
    const bool has_access = (mapping->second.access >> location->id & 1U) != 0;
    return give(driver, access,
                has_access ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE);
  };
  return driver_call({"cuMemGetAccess", initialised}, body, at);
}
STAND_IN_CALL(cuMemGetAllocationPropertiesFromHandle)
(CUmemAllocationProp* properties, CUmemGenericAllocationHandle handle) {
  const auto body = [=](StandInDriver& driver) {
    const PhysicalMemory* const memory = driver.memory().find_physical(handle);
    if (properties == nullptr || memory == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *properties = {};
    properties->type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties->location = {CU_MEM_LOCATION_TYPE_DEVICE, static_cast<int>(memory->device)};
    return CUDA_SUCCESS;
  };
  return driver_call({"cuMemGetAllocationPropertiesFromHandle", initialised}, body, handle);
}
