// The exports that are answered by what stands behind them.
#include "tools/preload/exports/exports.h"
#include "tools/preload/exports/front.h"

using namespace vramlab::preload;

// The driver's names.
// NOLINTBEGIN(readability-identifier-naming)
extern "C" {

CUresult cuMemAlloc_v2(CUdeviceptr* at, std::size_t bytes) {
  return instead_of<Hook::cuMemAlloc_v2>(
      [&](MemoryCalls& calls) { return calls.mem_alloc(at, bytes); }, at, bytes);
}

CUresult cuMemFree_v2(CUdeviceptr at) {
  return instead_of<Hook::cuMemFree_v2>([&](MemoryCalls& calls) { return calls.mem_free(at); }, at);
}

CUresult cuMemFreeAsync(CUdeviceptr at, CUstream stream) {
  return instead_of<Hook::cuMemFreeAsync>(
      [&](MemoryCalls& calls) {
        return calls.mem_free_async(at, {stream, DefaultStream::legacy});
      },
      at, stream);
}

CUresult cuMemFreeAsync_ptsz(CUdeviceptr at, CUstream stream) {
  return instead_of<Hook::cuMemFreeAsync_ptsz>(
      [&](MemoryCalls& calls) {
        return calls.mem_free_async(at, {stream, DefaultStream::per_thread});
      },
      at, stream);
}

CUresult cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  return instead_of<Hook::cuMemGetInfo_v2>(
      [&](MemoryCalls& calls) { return calls.mem_get_info(free, total); }, free, total);
}

CUresult cuIpcGetMemHandle(CUipcMemHandle* handle, CUdeviceptr at) {
  return instead_of<Hook::cuIpcGetMemHandle>(
      [&](MemoryCalls& calls) { return calls.ipc_get_mem_handle(handle, at); }, handle, at);
}

CUresult cuMemGetHandleForAddressRange(void* handle, CUdeviceptr at, std::size_t bytes,
                                       CUmemRangeHandleType type, unsigned long long flags) {
  return instead_of<Hook::cuMemGetHandleForAddressRange>(
      [&](MemoryCalls& calls) {
        return calls.handle_for_address_range(handle, at, bytes, type, flags);
      },
      handle, at, bytes, type, flags);
}

CUresult cuPointerSetAttribute(const void* value, CUpointer_attribute attribute, CUdeviceptr at) {
  return instead_of<Hook::cuPointerSetAttribute>(
      [&](MemoryCalls& calls) { return calls.pointer_set_attribute(value, attribute, at); }, value,
      attribute, at);
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
