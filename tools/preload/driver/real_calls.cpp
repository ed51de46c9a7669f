#include "tools/preload/driver/real_calls.h"

#include "tools/preload/driver/driver_library.h"

namespace vramlab::preload {

CUresult RealCalls::mem_alloc(CUdeviceptr* at, std::size_t bytes) {
  return call_driver<Hook::cuMemAlloc_v2>(at, bytes);
}

CUresult RealCalls::mem_free(CUdeviceptr at) { return call_driver<Hook::cuMemFree_v2>(at); }

CUresult RealCalls::mem_free_async(CUdeviceptr at, StreamHandle stream) {
  return stream.if_null == DefaultStream::per_thread
             ? call_driver<Hook::cuMemFreeAsync_ptsz>(at, stream.stream)
             : call_driver<Hook::cuMemFreeAsync>(at, stream.stream);
}

CUresult RealCalls::mem_get_info(std::size_t* free, std::size_t* total) {
  return call_driver<Hook::cuMemGetInfo_v2>(free, total);
}

CUresult RealCalls::ipc_get_mem_handle(CUipcMemHandle* handle, CUdeviceptr at) {
  return call_driver<Hook::cuIpcGetMemHandle>(handle, at);
}

CUresult RealCalls::handle_for_address_range(void* handle, CUdeviceptr at, std::size_t bytes,
                                             CUmemRangeHandleType type, unsigned long long flags) {
  return call_driver<Hook::cuMemGetHandleForAddressRange>(handle, at, bytes, type, flags);
}

CUresult RealCalls::pointer_set_attribute(const void* value, CUpointer_attribute attribute,
                                          CUdeviceptr at) {
  return call_driver<Hook::cuPointerSetAttribute>(value, attribute, at);
}

}  // namespace vramlab::preload
