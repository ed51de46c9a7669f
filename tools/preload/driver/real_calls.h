// RealCalls: the driver itself behind the exports, and nothing else.
#pragma once

#include "tools/preload/ground/memory_calls.h"

namespace vramlab::preload {

class RealCalls : public MemoryCalls {
 public:
  CUresult mem_alloc(CUdeviceptr* at, std::size_t bytes) override;
  CUresult mem_free(CUdeviceptr at) override;
  CUresult mem_free_async(CUdeviceptr at, StreamHandle stream) override;
  CUresult mem_get_info(std::size_t* free, std::size_t* total) override;
  CUresult ipc_get_mem_handle(CUipcMemHandle* handle, CUdeviceptr at) override;
  CUresult handle_for_address_range(void* handle, CUdeviceptr at, std::size_t bytes,
                                    CUmemRangeHandleType type, unsigned long long flags) override;
  CUresult pointer_set_attribute(const void* value, CUpointer_attribute attribute,
                                 CUdeviceptr at) override;

  void stream_created(CUstream /*stream*/, unsigned /*flags*/) override {}
  void before_stream_destroyed(CUstream /*stream*/) override {}
  void before_capture_begins(StreamHandle /*stream*/) override {}
  void capture_began(StreamHandle /*stream*/, bool /*succeeded*/) override {}
  void capture_ended(StreamHandle /*stream*/) override {}
  void context_gone(GoneContext /*context*/) override {}
  void peer_access_changed(CUcontext /*from*/, CUcontext /*to*/, bool /*enabled*/) override {}

  void before_fork() override {}
  void after_fork_in_parent() override {}
  void after_fork_in_child() override {}
  void at_exit() override {}
};

}  // namespace vramlab::preload
