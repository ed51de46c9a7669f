// Arrays, which are memory without an address for programs, and host memory of the program's own.
#include <algorithm>

#include "tests/fake_cuda/api/fake_call.h"

using namespace vramlab::fake;

namespace {

template <class Handle>
CUresult create_array(const char* name, Handle* array, std::uint64_t elements) {
  const auto body = [=](FakeCuda& fake) {
    if (array == nullptr || elements == 0) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult refused = fake.check_unsafe_call(); refused != CUDA_SUCCESS) return refused;
    const Context& owner = fake.current();
    // The largest elements there are: exact sizes are nobody's business here.
    const auto at = fake.memory().allocate({.bytes = 16 * elements,
                                            .kind = MemoryKind::array,
                                            .device = owner.device,
                                            .context = owner.number});
    if (!at) return CUDA_ERROR_OUT_OF_MEMORY;
    const std::uint64_t handle = fake.streams().take_handle();
    fake.arrays()[handle] = *at;
    *array = handle_of<Handle>(handle);
    fake.set_output(handle);
    return CUDA_SUCCESS;
  };
  return fake_call({name, context}, body, elements);
}

template <class Handle>
CUresult destroy_array(const char* name, Handle array) {
  const auto body = [=](FakeCuda& fake) {
    const auto found = fake.arrays().find(value_of(array));
    if (found == fake.arrays().end()) return CUDA_ERROR_INVALID_HANDLE;
    if (const CUresult refused = fake.check_unsafe_call(); refused != CUDA_SUCCESS) return refused;
    if (const Allocation* const memory = fake.memory().find(found->second))
      fake.release(*memory, ReleaseKind::waits);
    fake.arrays().erase(found);
    return CUDA_SUCCESS;
  };
  return fake_call({name, context}, body, array);
}

std::uint64_t at_least_1(std::size_t count) { return std::max<std::size_t>(count, 1); }

}  // namespace

FAKE_CUDA_CALL(cuArrayCreate_v2)(CUarray* array, const CUDA_ARRAY_DESCRIPTOR* wish) {
  return create_array("cuArrayCreate_v2", array,
                      wish == nullptr ? 0 : wish->Width * at_least_1(wish->Height));
}
FAKE_CUDA_CALL(cuArray3DCreate_v2)(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* wish) {
  return create_array(
      "cuArray3DCreate_v2", array,
      wish == nullptr ? 0 : wish->Width * at_least_1(wish->Height) * at_least_1(wish->Depth));
}
FAKE_CUDA_CALL(cuArrayDestroy)(CUarray array) { return destroy_array("cuArrayDestroy", array); }
FAKE_CUDA_CALL(cuMipmappedArrayCreate)
(CUmipmappedArray* array, const CUDA_ARRAY3D_DESCRIPTOR* wish, unsigned levels) {
  return create_array("cuMipmappedArrayCreate", array,
                      wish == nullptr ? 0 : levels * wish->Width * at_least_1(wish->Height));
}
FAKE_CUDA_CALL(cuMipmappedArrayDestroy)(CUmipmappedArray array) {
  return destroy_array("cuMipmappedArrayDestroy", array);
}

FAKE_CUDA_CALL(cuMemHostRegister_v2)(void* memory, std::size_t bytes, unsigned flags) {
  const auto body = [=](FakeCuda& fake) {
    if (memory == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    const std::uint64_t at = as_number(memory);
    if (fake.memory().find(at) != nullptr) return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    fake.memory().allocate({.at = at,
                            .bytes = bytes,
                            .kind = MemoryKind::registered_host,
                            .device = fake.current().device,
                            .context = fake.current().number,
                            .flags = flags});
    return CUDA_SUCCESS;
  };
  return fake_call({"cuMemHostRegister_v2", context}, body, memory, bytes, flags);
}
FAKE_CUDA_CALL(cuMemHostUnregister)(void* memory) {
  const auto body = [=](FakeCuda& fake) {
    const Allocation* const found = fake.memory().find(as_number(memory));
    if (found == nullptr || found->kind != MemoryKind::registered_host)
      return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
    fake.release(*found, ReleaseKind::waits);
    return CUDA_SUCCESS;
  };
  return fake_call({"cuMemHostUnregister", context}, body, memory);
}
