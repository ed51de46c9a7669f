// Memory that is there as soon as it was asked for, and what can be asked about it.
#include <cstring>

#include "tests/fake_cuda/api/fake_call.h"

using namespace vramlab::fake;

namespace {

struct MemoryWish {
  std::uint64_t bytes;
  MemoryKind kind = MemoryKind::device;
  unsigned flags = 0;
};

std::variant<std::uint64_t, CUresult> allocate(FakeCuda& fake, const MemoryWish& wish) {
  if (wish.bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult refused = fake.check_unsafe_call(); refused != CUDA_SUCCESS) return refused;
  const Context& owner = fake.current();
  const auto at = fake.memory().allocate({.bytes = wish.bytes,
                                          .kind = wish.kind,
                                          .device = owner.device,
                                          .context = owner.number,
                                          .flags = wish.flags});
  if (!at) return CUDA_ERROR_OUT_OF_MEMORY;
  return *at;
}

template <class Output>
CUresult give_memory(FakeCuda& fake, Output* output, const MemoryWish& wish) {
  if (output == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const auto got = allocate(fake, wish);
  if (const CUresult* refused = std::get_if<CUresult>(&got)) return *refused;
  const std::uint64_t at = std::get<std::uint64_t>(got);
  std::memcpy(output, &at, sizeof at);
  fake.set_output(at);
  return CUDA_SUCCESS;
}

CUresult free_memory(FakeCuda& fake, std::uint64_t at, bool is_host) {
  if (at == 0) return CUDA_SUCCESS;
  const Allocation* const found = fake.memory().find(at);
  if (found == nullptr || found->at != at || found->kind == MemoryKind::registered_host ||
      found->kind == MemoryKind::array || (found->kind == MemoryKind::pinned_host) != is_host)
    return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult refused = fake.check_unsafe_call(); refused != CUDA_SUCCESS) return refused;
  const bool waits =
      fake.options().free_rule == FreeRule::waits_for_context && found->kind != MemoryKind::pool;
  fake.release(*found, waits ? ReleaseKind::waits : ReleaseKind::at_once);
  return CUDA_SUCCESS;
}

CUresult host_alloc(const char* name, void** memory, std::size_t bytes, unsigned flags) {
  const auto body = [=](FakeCuda& fake) {
    return give_memory(fake, memory, {bytes, MemoryKind::pinned_host, flags});
  };
  return fake_call({name, context}, body, bytes, flags);
}

}  // namespace

FAKE_CUDA_CALL(cuMemAlloc_v2)(CUdeviceptr* at, std::size_t bytes) {
  const auto body = [=](FakeCuda& fake) { return give_memory(fake, at, {bytes}); };
  return fake_call({"cuMemAlloc_v2", context}, body, bytes);
}
FAKE_CUDA_CALL(cuMemAllocPitch_v2)
(CUdeviceptr* at, std::size_t* pitch, std::size_t width, std::size_t height, unsigned element) {
  const auto body = [=](FakeCuda& fake) {
    if (pitch == nullptr || (element != 4 && element != 8 && element != 16))
      return CUDA_ERROR_INVALID_VALUE;
    const std::size_t row = (width + 511) / 512 * 512;
    const CUresult result = give_memory(fake, at, {row * height});
    if (result == CUDA_SUCCESS) *pitch = row;
    return result;
  };
  return fake_call({"cuMemAllocPitch_v2", context}, body, width, height, element);
}
FAKE_CUDA_CALL(cuMemAllocManaged)(CUdeviceptr* at, std::size_t bytes, unsigned flags) {
  const auto body = [=](FakeCuda& fake) {
    return give_memory(fake, at, {bytes, MemoryKind::managed, flags});
  };
  return fake_call({"cuMemAllocManaged", context}, body, bytes, flags);
}
FAKE_CUDA_CALL(cuMemFree_v2)(CUdeviceptr at) {
  const auto body = [=](FakeCuda& fake) { return free_memory(fake, at, false); };
  return fake_call({"cuMemFree_v2", context}, body, at);
}
FAKE_CUDA_CALL(cuMemHostAlloc)(void** memory, std::size_t bytes, unsigned flags) {
  return host_alloc("cuMemHostAlloc", memory, bytes, flags);
}
FAKE_CUDA_CALL(cuMemAllocHost_v2)(void** memory, std::size_t bytes) {
  return host_alloc("cuMemAllocHost_v2", memory, bytes, 0);
}
FAKE_CUDA_CALL(cuMemFreeHost)(void* memory) {
  const auto body = [=](FakeCuda& fake) { return free_memory(fake, as_number(memory), true); };
  return fake_call({"cuMemFreeHost", context}, body, memory);
}
FAKE_CUDA_CALL(cuMemHostGetDevicePointer_v2)(CUdeviceptr* at, void* memory, unsigned /*flags*/) {
  const auto body = [=](FakeCuda& fake) {
    const Allocation* const found = fake.memory().find(as_number(memory));
    if (found == nullptr || found->kind != MemoryKind::pinned_host) return CUDA_ERROR_INVALID_VALUE;
    return give(fake, at, as_number(memory));
  };
  return fake_call({"cuMemHostGetDevicePointer_v2", context}, body, memory);
}
FAKE_CUDA_CALL(cuMemHostGetFlags)(unsigned* flags, void* memory) {
  const auto body = [=](FakeCuda& fake) {
    const Allocation* const found = fake.memory().find(as_number(memory));
    if (found == nullptr || found->kind != MemoryKind::pinned_host) return CUDA_ERROR_INVALID_VALUE;
    return give(fake, flags, found->flags);
  };
  return fake_call({"cuMemHostGetFlags", context}, body, memory);
}

FAKE_CUDA_CALL(cuMemGetInfo_v2)(std::size_t* free, std::size_t* total) {
  const auto body = [=](FakeCuda& fake) {
    const auto info = fake.memory().info(fake.current().device);
    if (free != nullptr) *free = info.free.count;
    if (total != nullptr) *total = info.total.count;
    return CUDA_SUCCESS;
  };
  return fake_call({"cuMemGetInfo_v2", context}, body);
}
FAKE_CUDA_CALL(cuMemGetAddressRange_v2)(CUdeviceptr* base, std::size_t* bytes, CUdeviceptr at) {
  const auto body = [=](FakeCuda& fake) {
    std::uint64_t begin = 0;
    std::uint64_t size = 0;
    if (const Allocation* const found = fake.memory().find(at)) {
      begin = found->at;
      size = found->bytes;
    } else if (const auto* mapping = fake.memory().find_mapping(at)) {
      begin = mapping->first;
      size = mapping->second.bytes;
    } else {
      return CUDA_ERROR_NOT_FOUND;
    }
    if (base != nullptr) *base = begin;
    if (bytes != nullptr) *bytes = size;
    return CUDA_SUCCESS;
  };
  return fake_call({"cuMemGetAddressRange_v2", driver}, body, at);
}
FAKE_CUDA_CALL(cuMemGetHandleForAddressRange)
(void* handle, CUdeviceptr at, std::size_t bytes, CUmemRangeHandleType type,
 unsigned long long flags) {
  const auto body = [=](FakeCuda& fake) {
    if (handle == nullptr || bytes == 0 ||
        !fake.memory().is_usable(at, bytes, fake.current().device))
      return CUDA_ERROR_INVALID_VALUE;
    // A number that is no open file.
    const int file = -1000 - static_cast<int>(at >> 21 & 0xffffff);
    std::memcpy(handle, &file, sizeof file);
    return CUDA_SUCCESS;
  };
  return fake_call({"cuMemGetHandleForAddressRange", context}, body, at, bytes, type, flags);
}
