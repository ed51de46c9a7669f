// Stream-ordered memory: it comes from a pool, and goes back to it when the stream gets to the
// free.
#include <atomic>
#include <optional>

#include "tools/cuda_standins/driver/driver_call.h"
#include "tools/cuda_standins/driver/driver_types.h"
#include "tools/cuda_standins/notes/notes.h"

using namespace vramlab::dry_run;

namespace {

struct PoolWish {
  std::size_t bytes;
  CUstream stream;
  /// Null for the current pool of the current context's device.
  CUmemoryPool pool = nullptr;
};

/// Work on one stream of a capture comes one after another.
std::optional<GraphPlace> place_in_capture(StandInDriver& driver,
                                           vramlab::streams::StreamAt stream) {
  const auto capture = driver.timed().capture_of(stream);
  if (!capture) return std::nullopt;
  return GraphPlace{GraphPlace::Kind::capture, capture->id.value, stream.stream.value};
}

CUresult alloc_async(StandInDriver& driver, const CallSite& site, CUdeviceptr* at,
                     const PoolWish& wish) {
  if (at == nullptr || wish.bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  const auto found = driver.find_stream(wish.stream, site);
  if (const CUresult* refused = std::get_if<CUresult>(&found)) return *refused;
  const Context& owner = driver.current();
  const std::uint64_t pool =
      wish.pool == nullptr ? driver.pools().current_pool(owner.device) : value_of(wish.pool);
  if (!driver.pools().has(pool)) return CUDA_ERROR_INVALID_VALUE;
  if (const auto place = place_in_capture(driver, std::get<vramlab::streams::StreamAt>(found))) {
    auto made = driver.graph_memory().allocate(*place, {&*place, 1},
                                               {driver.pools().device_of(pool), wish.bytes});
    if (!made) return CUDA_ERROR_OUT_OF_MEMORY;
    const CUresult result = driver.submit(wish.stream, site, std::move(made->order));
    return result == CUDA_SUCCESS ? give(driver, at, made->at) : result;
  }
  const auto got = driver.pools().allocate(pool, wish.bytes);
  if (!got) return CUDA_ERROR_OUT_OF_MEMORY;
  driver.memory().allocate({.at = *got,
                            .bytes = wish.bytes,
                            .kind = MemoryKind::pool,
                            .device = driver.pools().device_of(pool),
                            .context = owner.number});
  return give(driver, at, *got);
}

CUresult call_alloc(const CallSite& site, CUdeviceptr* at, const PoolWish& wish) {
  const auto body = [&](StandInDriver& driver) { return alloc_async(driver, site, at, wish); };
  const CUresult result = driver_call(site, body, wish.bytes, wish.stream);
  static std::atomic_flag is_noted = ATOMIC_FLAG_INIT;
  if (!is_noted.test_and_set()) vramlab_dry_run_note("modelled", "pools of cudaMallocAsync");
  return result;
}

CUresult on_cuMemAllocAsync(const CallSite& site, CUdeviceptr* at, std::size_t bytes,
                            CUstream stream) {
  return call_alloc(site, at, {bytes, stream});
}

CUresult on_cuMemAllocFromPoolAsync(const CallSite& site, CUdeviceptr* at, std::size_t bytes,
                                    CUmemoryPool pool, CUstream stream) {
  if (pool == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return call_alloc(site, at, {bytes, stream, pool});
}

bool is_freeable(MemoryKind kind) {
  return kind == MemoryKind::pool || kind == MemoryKind::device || kind == MemoryKind::external ||
         kind == MemoryKind::graph;
}

CUresult free_async(StandInDriver& driver, const CallSite& site, CUdeviceptr at, CUstream stream) {
  if (at == 0) return CUDA_SUCCESS;
  const Allocation* const found = driver.memory().find(at);
  if (found == nullptr || found->at != at || !is_freeable(found->kind))
    return CUDA_ERROR_INVALID_VALUE;
  const auto where = driver.find_stream(stream, site);
  if (const CUresult* refused = std::get_if<CUresult>(&where)) return *refused;
  if (const auto place = place_in_capture(driver, std::get<vramlab::streams::StreamAt>(where))) {
    // A node frees what a node allocated.
    auto freed = driver.graph_memory().free_in(*place, at);
    return freed ? driver.submit(stream, site, std::move(*freed)) : CUDA_ERROR_INVALID_VALUE;
  }
  if (found->kind == MemoryKind::graph)
    if (const CUresult refused = driver.graph_memory().free(at); refused != CUDA_SUCCESS)
      return refused;
  WorkOrder order;
  order.work.kind = vramlab::streams::WorkKind::host_function;
  if (found->kind == MemoryKind::graph) return driver.submit(stream, site, std::move(order));
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

enum class WhichPool : bool { by_default, current };

CUresult give_pool(const char* name, CUmemoryPool* pool, CUdevice device, WhichPool which) {
  const auto body = [=](StandInDriver& driver) {
    if (!has_device(driver, device)) return CUDA_ERROR_INVALID_DEVICE;
    if (pool == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto index = static_cast<std::uint32_t>(device);
    *pool = handle_of<CUmemoryPool>(which == WhichPool::current ? driver.pools().current_pool(index)
                                                                : MemoryPools::default_pool(index));
    return CUDA_SUCCESS;
  };
  return driver_call({name, initialised}, body, device);
}

/// `body` gets the driver; the handle is a pool.
template <class Body>
CUresult pool_call(const char* name, CUmemoryPool pool, const Body& body) {
  const auto checked = [&](StandInDriver& driver) {
    return driver.pools().has(value_of(pool)) ? body(driver) : CUDA_ERROR_INVALID_VALUE;
  };
  return driver_call({name, initialised}, checked, pool);
}

/// The three before the threshold are switches of how memory is reused, which are on.
CUresult get_figure(const PoolFigures& figures, CUmemPool_attribute attribute, void* into) {
  switch (attribute) {
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
      return put(into, figures.release_threshold);
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
      return put(into, figures.reserved);
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
      return put(into, figures.most_reserved);
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
      return put(into, figures.used);
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
      return put(into, figures.most_used);
    default:
      return attribute < CU_MEMPOOL_ATTR_RELEASE_THRESHOLD ? put(into, 1)
                                                           : CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult set_figure(PoolFigures& figures, CUmemPool_attribute attribute, const void* from) {
  std::uint64_t value = 0;
  if (attribute < CU_MEMPOOL_ATTR_RELEASE_THRESHOLD) return CUDA_SUCCESS;
  std::memcpy(&value, from, sizeof value);
  if (attribute == CU_MEMPOOL_ATTR_RELEASE_THRESHOLD) figures.release_threshold = value;
  if (attribute == CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH) figures.most_reserved = figures.reserved;
  if (attribute == CU_MEMPOOL_ATTR_USED_MEM_HIGH) figures.most_used = figures.used;
  return CUDA_SUCCESS;
}

}  // namespace

STAND_IN_TWINS(cuMemAllocAsync, _ptsz, context,
               (CUdeviceptr * at, std::size_t bytes, CUstream stream), at, bytes, stream)
STAND_IN_TWINS(cuMemAllocFromPoolAsync, _ptsz, context,
               (CUdeviceptr * at, std::size_t bytes, CUmemoryPool pool, CUstream stream), at, bytes,
               pool, stream)
STAND_IN_TWINS(cuMemFreeAsync, _ptsz, context, (CUdeviceptr at, CUstream stream), at, stream)
STAND_IN_CALL(cuDeviceGetDefaultMemPool)(CUmemoryPool* pool, CUdevice device) {
  return give_pool("cuDeviceGetDefaultMemPool", pool, device, WhichPool::by_default);
}
STAND_IN_CALL(cuDeviceGetMemPool)(CUmemoryPool* pool, CUdevice device) {
  return give_pool("cuDeviceGetMemPool", pool, device, WhichPool::current);
}
STAND_IN_CALL(cuDeviceSetMemPool)(CUdevice device, CUmemoryPool pool) {
  return pool_call("cuDeviceSetMemPool", pool, [=](StandInDriver& driver) {
    if (!has_device(driver, device)) return CUDA_ERROR_INVALID_DEVICE;
    driver.pools().set_current(static_cast<std::uint32_t>(device), value_of(pool));
    return CUDA_SUCCESS;
  });
}
STAND_IN_CALL(cuMemPoolCreate)(CUmemoryPool* pool, const CUmemPoolProps* wish) {
  const auto body = [=](StandInDriver& driver) {
    if (pool == nullptr || wish == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (!has_device(driver, wish->location.id)) return CUDA_ERROR_INVALID_DEVICE;
    const auto device = static_cast<std::uint32_t>(wish->location.id);
    *pool = handle_of<CUmemoryPool>(driver.pools().create(device));
    driver.set_output(value_of(*pool));
    return CUDA_SUCCESS;
  };
  return driver_call({"cuMemPoolCreate", initialised}, body);
}
STAND_IN_CALL(cuMemPoolDestroy)(CUmemoryPool pool) {
  return pool_call("cuMemPoolDestroy", pool, [=](StandInDriver& driver) {
    return refuse_unless(driver.pools().destroy(value_of(pool)));
  });
}
STAND_IN_CALL(cuMemPoolTrimTo)(CUmemoryPool pool, std::size_t bytes) {
  return pool_call("cuMemPoolTrimTo", pool, [=](StandInDriver& driver) {
    driver.pools().trim(value_of(pool), bytes);
    return CUDA_SUCCESS;
  });
}
STAND_IN_CALL(cuMemPoolGetAttribute)
(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
  return pool_call("cuMemPoolGetAttribute", pool, [=](StandInDriver& driver) {
    if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return get_figure(driver.pools().figures(value_of(pool)), attribute, value);
  });
}
STAND_IN_CALL(cuMemPoolSetAttribute)
(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
  return pool_call("cuMemPoolSetAttribute", pool, [=](StandInDriver& driver) {
    if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return set_figure(driver.pools().figures(value_of(pool)), attribute, value);
  });
}
/// Every device of a process has access to all memory of pools.
STAND_IN_CALL(cuMemPoolSetAccess)
(CUmemoryPool pool, const CUmemAccessDesc* /*access*/, std::size_t /*count*/) {
  return pool_call("cuMemPoolSetAccess", pool, [](StandInDriver&) { return CUDA_SUCCESS; });
}
STAND_IN_CALL(cuMemPoolGetAccess)
(CUmemAccess_flags* access, CUmemoryPool pool, CUmemLocation* /*location*/) {
  return pool_call("cuMemPoolGetAccess", pool, [=](StandInDriver& driver) {
    return give(driver, access, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  });
}
