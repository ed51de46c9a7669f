// Addresses, physical memory, and the mapping between them.
#include "tests/fake_cuda/api/fake_call.h"

using namespace vramlab::fake;

namespace {

bool is_whole(FakeCuda& fake, std::uint64_t bytes) {
  return bytes > 0 && bytes % fake.memory().granularity() == 0;
}

bool is_on_device(const FakeCuda& fake, const CUmemLocation& location) {
  return location.type == CU_MEM_LOCATION_TYPE_DEVICE && location.id >= 0 &&
         static_cast<std::uint32_t>(location.id) < fake.options().device_count;
}

bool set_access(FakeCuda& fake, vramlab::streams::AddressRange range, const CUmemAccessDesc& wish) {
  const bool is_none = wish.flags == CU_MEM_ACCESS_FLAGS_PROT_NONE;
  return fake.memory().set_access(range, static_cast<std::uint32_t>(wish.location.id),
                                  is_none ? DeviceMemory::Access::none : DeviceMemory::Access::all);
}

}  // namespace

FAKE_CUDA_CALL(cuMemGetAllocationGranularity)
(std::size_t* bytes, const CUmemAllocationProp* wish, CUmemAllocationGranularity_flags option) {
  const auto body = [=](FakeCuda& fake) {
    if (wish == nullptr || !is_on_device(fake, wish->location)) return CUDA_ERROR_INVALID_VALUE;
    return give(fake, bytes, fake.memory().granularity());
  };
  return fake_call({"cuMemGetAllocationGranularity", driver}, body, option);
}
FAKE_CUDA_CALL(cuMemAddressReserve)
(CUdeviceptr* at, std::size_t bytes, std::size_t alignment, CUdeviceptr /*hint*/,
 unsigned long long flags) {
  const auto body = [=](FakeCuda& fake) {
    if (at == nullptr || flags != 0 || !is_whole(fake, bytes) || (alignment & (alignment - 1)) != 0)
      return CUDA_ERROR_INVALID_VALUE;
    if (!fake.options().has_memory_mapping) return CUDA_ERROR_NOT_SUPPORTED;
    const auto got = fake.memory().reserve(bytes);
    return got ? give(fake, at, *got) : CUDA_ERROR_OUT_OF_MEMORY;
  };
  return fake_call({"cuMemAddressReserve", driver}, body, bytes, alignment);
}
FAKE_CUDA_CALL(cuMemAddressFree)(CUdeviceptr at, std::size_t bytes) {
  const auto body = [=](FakeCuda& fake) {
    return refuse_unless(fake.memory().release_reservation(at, bytes));
  };
  return fake_call({"cuMemAddressFree", driver}, body, at, bytes);
}
FAKE_CUDA_CALL(cuMemCreate)
(CUmemGenericAllocationHandle* handle, std::size_t bytes, const CUmemAllocationProp* wish,
 unsigned long long flags) {
  const auto body = [=](FakeCuda& fake) {
    if (handle == nullptr || wish == nullptr || flags != 0 || !is_whole(fake, bytes))
      return CUDA_ERROR_INVALID_VALUE;
    if (!is_on_device(fake, wish->location)) return CUDA_ERROR_INVALID_DEVICE;
    if (!fake.options().has_memory_mapping) return CUDA_ERROR_NOT_SUPPORTED;
    const auto made =
        fake.memory().create_physical(static_cast<std::uint32_t>(wish->location.id), bytes);
    return made ? give(fake, handle, *made) : CUDA_ERROR_OUT_OF_MEMORY;
  };
  return fake_call({"cuMemCreate", driver}, body, bytes);
}
FAKE_CUDA_CALL(cuMemRelease)(CUmemGenericAllocationHandle handle) {
  const auto body = [=](FakeCuda& fake) {
    return refuse_unless(fake.memory().release_physical(handle));
  };
  return fake_call({"cuMemRelease", driver}, body, handle);
}
FAKE_CUDA_CALL(cuMemRetainAllocationHandle)(CUmemGenericAllocationHandle* handle, void* address) {
  const auto body = [=](FakeCuda& fake) {
    const auto* const mapping = fake.memory().find_mapping(as_number(address));
    if (mapping == nullptr) return CUDA_ERROR_INVALID_VALUE;
    ++fake.memory().find_physical(mapping->second.physical)->handles;
    return give(fake, handle, mapping->second.physical);
  };
  return fake_call({"cuMemRetainAllocationHandle", driver}, body, address);
}
FAKE_CUDA_CALL(cuMemMap)
(CUdeviceptr at, std::size_t bytes, std::size_t offset, CUmemGenericAllocationHandle handle,
 unsigned long long flags) {
  const auto body = [=](FakeCuda& fake) {
    const PhysicalMemory* const memory = fake.memory().find_physical(handle);
    if (memory == nullptr || memory->bytes != bytes || offset != 0 || flags != 0)
      return CUDA_ERROR_INVALID_VALUE;
    return refuse_unless(fake.memory().map(at, bytes, handle));
  };
  return fake_call({"cuMemMap", driver}, body, at, bytes, handle);
}
FAKE_CUDA_CALL(cuMemUnmap)(CUdeviceptr at, std::size_t bytes) {
  const auto body = [=](FakeCuda& fake) {
    const bool is_mapped = fake.memory().find_mapping(at) != nullptr;
    if (is_mapped) fake.oracle().released(at, bytes, ReleaseKind::at_once);
    return refuse_unless(fake.memory().unmap(at, bytes));
  };
  return fake_call({"cuMemUnmap", driver}, body, at, bytes);
}
FAKE_CUDA_CALL(cuMemSetAccess)
(CUdeviceptr at, std::size_t bytes, const CUmemAccessDesc* access, std::size_t count) {
  const auto body = [=](FakeCuda& fake) {
    if (access == nullptr || count == 0) return CUDA_ERROR_INVALID_VALUE;
    for (std::size_t place = 0; place < count; ++place)
      if (!is_on_device(fake, access[place].location)) return CUDA_ERROR_INVALID_DEVICE;
    for (std::size_t place = 0; place < count; ++place)
      if (!set_access(fake, {{at}, {at + bytes}}, access[place])) return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
  };
  return fake_call({"cuMemSetAccess", driver}, body, at, bytes, count);
}
