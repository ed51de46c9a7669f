// Memory that is there as soon as it was asked for, and what can be asked about it.
#include <cstring>

#include "tools/cuda_standins/driver/driver_call.h"

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
  // Its graph keeps the memory for the next launch.
  if (found->kind == MemoryKind::graph) return CUDA_SUCCESS;
  const bool waits =
      driver.options().free_rule == FreeRule::waits_for_context && found->kind != MemoryKind::pool;
  driver.release(*found, waits ? ReleaseKind::waits : ReleaseKind::at_once);
  return CUDA_SUCCESS;
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
    if (found == nullptr || found->kind != MemoryKind::pinned_host) return CUDA_ERROR_INVALID_VALUE;
    return give(driver, at, as_number(memory));
  };
  return driver_call({"cuMemHostGetDevicePointer_v2", context}, body, memory);
}
STAND_IN_CALL(cuMemHostGetFlags)(unsigned* flags, void* memory) {
  const auto body = [=](StandInDriver& driver) {
    const Allocation* const found = driver.memory().find(as_number(memory));
    if (found == nullptr || found->kind != MemoryKind::pinned_host) return CUDA_ERROR_INVALID_VALUE;
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
