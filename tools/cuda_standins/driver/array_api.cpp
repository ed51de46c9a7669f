// Arrays, which are memory without an address for programs, and host memory of the program's own.
#include <algorithm>

#include "tools/cuda_standins/driver/driver_call.h"

using namespace vramlab::dry_run;

namespace {

template <class Handle>
CUresult create_array(const char* name, Handle* array, std::uint64_t elements) {
  const auto body = [=](StandInDriver& driver) {
    if (array == nullptr || elements == 0) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult refused = driver.check_unsafe_call(); refused != CUDA_SUCCESS)
      return refused;
    const Context& owner = driver.current();
    // The largest elements there are: exact sizes are nobody's business here.
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
    if (memory == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    const std::uint64_t at = as_number(memory);
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
    if (found == nullptr || found->kind != MemoryKind::registered_host)
      return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
    driver.pinned().add({PinnedCallKind::host_unregister, found->bytes});
    driver.release(*found, ReleaseKind::waits);
    return CUDA_SUCCESS;
  };
  return driver_call({"cuMemHostUnregister", context}, body, memory);
}
