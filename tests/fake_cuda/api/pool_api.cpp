// Memory in the order of a stream. A pool here holds nothing back: what is freed is the device's
// when the stream gets there.
#include "tests/fake_cuda/api/fake_call.h"

using namespace vramlab::fake;

namespace {

/// Pools of a device by its number, beside those that are made.
constexpr std::uint64_t default_pools = 0x30000000;

CUresult alloc_async(FakeCuda& fake, const CallSite& site, CUdeviceptr* at,
                     std::pair<std::size_t, CUstream> wish) {
  if (at == nullptr || wish.first == 0) return CUDA_ERROR_INVALID_VALUE;
  const auto found = fake.find_stream(wish.second, site);
  if (const CUresult* refused = std::get_if<CUresult>(&found)) return *refused;
  const auto stream = std::get<vramlab::streams::StreamAt>(found);
  // Memory of a graph is not this driver's business.
  if (fake.timed().capture_of(stream)) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  const Context& owner = fake.current();
  const auto got = fake.memory().allocate({.bytes = wish.first,
                                           .kind = MemoryKind::pool,
                                           .device = owner.device,
                                           .context = owner.number});
  return got ? give(fake, at, *got) : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult on_cuMemAllocAsync(const CallSite& site, CUdeviceptr* at, std::size_t bytes,
                            CUstream stream) {
  const auto body = [=](FakeCuda& fake) { return alloc_async(fake, site, at, {bytes, stream}); };
  return fake_call(site, body, bytes, stream);
}

CUresult on_cuMemAllocFromPoolAsync(const CallSite& site, CUdeviceptr* at, std::size_t bytes,
                                    CUmemoryPool pool, CUstream stream) {
  const auto body = [=](FakeCuda& fake) { return alloc_async(fake, site, at, {bytes, stream}); };
  return fake_call(site, body, bytes, pool, stream);
}

CUresult free_async(FakeCuda& fake, const CallSite& site, CUdeviceptr at, CUstream stream) {
  if (at == 0) return CUDA_SUCCESS;
  const Allocation* const found = fake.memory().find(at);
  const bool is_freeable = found != nullptr && found->at == at &&
                           (found->kind == MemoryKind::pool || found->kind == MemoryKind::device);
  if (!is_freeable) return CUDA_ERROR_INVALID_VALUE;
  const auto where = fake.find_stream(stream, site);
  if (const CUresult* refused = std::get_if<CUresult>(&where)) return *refused;
  if (fake.timed().capture_of(std::get<vramlab::streams::StreamAt>(where)))
    return CUDA_ERROR_INVALID_VALUE;
  WorkOrder order;
  order.work.kind = vramlab::streams::WorkKind::host_function;
  order.body = [&fake, at, id = found->buffer_id] {
    // Its context may be gone by now, and the memory with it.
    const Allocation* const left = fake.memory().find(at);
    if (left != nullptr && left->buffer_id == id) fake.release(*left, ReleaseKind::at_once);
  };
  return fake.submit(stream, site, std::move(order));
}

CUresult on_cuMemFreeAsync(const CallSite& site, CUdeviceptr at, CUstream stream) {
  const auto body = [=](FakeCuda& fake) { return free_async(fake, site, at, stream); };
  return fake_call(site, body, at, stream);
}

CUresult give_pool(const char* name, CUmemoryPool* pool, CUdevice device) {
  const auto body = [=](FakeCuda& fake) {
    if (device < 0 || static_cast<std::uint32_t>(device) >= fake.options().device_count)
      return CUDA_ERROR_INVALID_DEVICE;
    if (pool == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *pool = handle_of<CUmemoryPool>(default_pools + 16 * static_cast<std::uint64_t>(device));
    return CUDA_SUCCESS;
  };
  return fake_call({name, driver}, body, device);
}

}  // namespace

FAKE_CUDA_TWINS(cuMemAllocAsync, _ptsz, context,
                (CUdeviceptr * at, std::size_t bytes, CUstream stream), at, bytes, stream)
FAKE_CUDA_TWINS(cuMemAllocFromPoolAsync, _ptsz, context,
                (CUdeviceptr * at, std::size_t bytes, CUmemoryPool pool, CUstream stream), at,
                bytes, pool, stream)
FAKE_CUDA_TWINS(cuMemFreeAsync, _ptsz, context, (CUdeviceptr at, CUstream stream), at, stream)
FAKE_CUDA_CALL(cuDeviceGetDefaultMemPool)(CUmemoryPool* pool, CUdevice device) {
  return give_pool("cuDeviceGetDefaultMemPool", pool, device);
}
FAKE_CUDA_CALL(cuDeviceGetMemPool)(CUmemoryPool* pool, CUdevice device) {
  return give_pool("cuDeviceGetMemPool", pool, device);
}
FAKE_CUDA_CALL(cuMemPoolCreate)(CUmemoryPool* pool, const CUmemPoolProps* wish) {
  const auto body = [=](FakeCuda& fake) {
    if (pool == nullptr || wish == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *pool = handle_of<CUmemoryPool>(fake.streams().take_handle());
    fake.set_output(value_of(*pool));
    return CUDA_SUCCESS;
  };
  return fake_call({"cuMemPoolCreate", driver}, body);
}
FAKE_CUDA_CALL(cuMemPoolDestroy)(CUmemoryPool pool) {
  const auto body = [](FakeCuda&) { return CUDA_SUCCESS; };
  return fake_call({"cuMemPoolDestroy", driver}, body, pool);
}
FAKE_CUDA_CALL(cuMemPoolTrimTo)(CUmemoryPool pool, std::size_t bytes) {
  const auto body = [](FakeCuda&) { return CUDA_SUCCESS; };
  return fake_call({"cuMemPoolTrimTo", driver}, body, pool, bytes);
}
