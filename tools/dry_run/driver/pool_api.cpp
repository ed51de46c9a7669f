// Memory in the order of a stream. A pool here holds nothing back: what is freed is the device's
// when the stream gets there.
#include "tools/dry_run/driver/driver_call.h"

using namespace vramlab::dry_run;

namespace {

/// Pools of a device by its number, beside those that are made.
constexpr std::uint64_t default_pools = 0x30000000;

CUresult alloc_async(StandInDriver& driver, const CallSite& site, CUdeviceptr* at,
                     std::pair<std::size_t, CUstream> wish) {
  if (at == nullptr || wish.first == 0) return CUDA_ERROR_INVALID_VALUE;
  const auto found = driver.find_stream(wish.second, site);
  if (const CUresult* refused = std::get_if<CUresult>(&found)) return *refused;
  const auto stream = std::get<vramlab::streams::StreamAt>(found);
  // Memory of a graph is not this driver's business.
  if (driver.timed().capture_of(stream)) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  const Context& owner = driver.current();
  const auto got = driver.memory().allocate({.bytes = wish.first,
                                             .kind = MemoryKind::pool,
                                             .device = owner.device,
                                             .context = owner.number});
  return got ? give(driver, at, *got) : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult on_cuMemAllocAsync(const CallSite& site, CUdeviceptr* at, std::size_t bytes,
                            CUstream stream) {
  const auto body = [=](StandInDriver& driver) {
    return alloc_async(driver, site, at, {bytes, stream});
  };
  return driver_call(site, body, bytes, stream);
}

CUresult on_cuMemAllocFromPoolAsync(const CallSite& site, CUdeviceptr* at, std::size_t bytes,
                                    CUmemoryPool pool, CUstream stream) {
  const auto body = [=](StandInDriver& driver) {
    return alloc_async(driver, site, at, {bytes, stream});
  };
  return driver_call(site, body, bytes, pool, stream);
}

CUresult free_async(StandInDriver& driver, const CallSite& site, CUdeviceptr at, CUstream stream) {
  if (at == 0) return CUDA_SUCCESS;
  const Allocation* const found = driver.memory().find(at);
  const bool is_freeable = found != nullptr && found->at == at &&
                           (found->kind == MemoryKind::pool || found->kind == MemoryKind::device);
  if (!is_freeable) return CUDA_ERROR_INVALID_VALUE;
  const auto where = driver.find_stream(stream, site);
  if (const CUresult* refused = std::get_if<CUresult>(&where)) return *refused;
  if (driver.timed().capture_of(std::get<vramlab::streams::StreamAt>(where)))
    return CUDA_ERROR_INVALID_VALUE;
  WorkOrder order;
  order.work.kind = vramlab::streams::WorkKind::host_function;
  order.body = [&driver, at, id = found->buffer_id] {
    // Its context may be gone by now, and the memory with it.
    const Allocation* const left = driver.memory().find(at);
    if (left != nullptr && left->buffer_id == id) driver.release(*left, ReleaseKind::at_once);
  };
  return driver.submit(stream, site, std::move(order));
}

CUresult on_cuMemFreeAsync(const CallSite& site, CUdeviceptr at, CUstream stream) {
  const auto body = [=](StandInDriver& driver) { return free_async(driver, site, at, stream); };
  return driver_call(site, body, at, stream);
}

CUresult give_pool(const char* name, CUmemoryPool* pool, CUdevice device) {
  const auto body = [=](StandInDriver& driver) {
    if (!has_device(driver, device)) return CUDA_ERROR_INVALID_DEVICE;
    if (pool == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *pool = handle_of<CUmemoryPool>(default_pools + 16 * static_cast<std::uint64_t>(device));
    return CUDA_SUCCESS;
  };
  return driver_call({name, initialised}, body, device);
}

}  // namespace

STAND_IN_TWINS(cuMemAllocAsync, _ptsz, context,
               (CUdeviceptr * at, std::size_t bytes, CUstream stream), at, bytes, stream)
STAND_IN_TWINS(cuMemAllocFromPoolAsync, _ptsz, context,
               (CUdeviceptr * at, std::size_t bytes, CUmemoryPool pool, CUstream stream), at, bytes,
               pool, stream)
STAND_IN_TWINS(cuMemFreeAsync, _ptsz, context, (CUdeviceptr at, CUstream stream), at, stream)
STAND_IN_CALL(cuDeviceGetDefaultMemPool)(CUmemoryPool* pool, CUdevice device) {
  return give_pool("cuDeviceGetDefaultMemPool", pool, device);
}
STAND_IN_CALL(cuDeviceGetMemPool)(CUmemoryPool* pool, CUdevice device) {
  return give_pool("cuDeviceGetMemPool", pool, device);
}
STAND_IN_CALL(cuMemPoolCreate)(CUmemoryPool* pool, const CUmemPoolProps* wish) {
  const auto body = [=](StandInDriver& driver) {
    if (pool == nullptr || wish == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *pool = handle_of<CUmemoryPool>(driver.streams().take_handle());
    driver.set_output(value_of(*pool));
    return CUDA_SUCCESS;
  };
  return driver_call({"cuMemPoolCreate", initialised}, body);
}
STAND_IN_CALL(cuMemPoolDestroy)(CUmemoryPool pool) {
  const auto body = [](StandInDriver&) { return CUDA_SUCCESS; };
  return driver_call({"cuMemPoolDestroy", initialised}, body, pool);
}
STAND_IN_CALL(cuMemPoolTrimTo)(CUmemoryPool pool, std::size_t bytes) {
  const auto body = [](StandInDriver&) { return CUDA_SUCCESS; };
  return driver_call({"cuMemPoolTrimTo", initialised}, body, pool, bytes);
}
