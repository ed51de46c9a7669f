// Copies of bytes in a row.
#include "tools/cuda_standins/driver/copy_work.h"

using namespace vramlab::dry_run;

namespace {

CUresult copy_now(const CallSite& site, const Copy& copy) {
  return call_copy(site, copy, {nullptr, HostWaits::yes});
}

CUresult copy_later(const CallSite& site, const Copy& copy, CUstream stream) {
  return call_copy(site, copy, {stream, HostWaits::no});
}

CUresult on_cuMemcpy(const CallSite& site, CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return copy_now(site, plain_copy(to, from, bytes));
}
CUresult on_cuMemcpyHtoD_v2(const CallSite& site, CUdeviceptr to, const void* from,
                            std::size_t bytes) {
  return copy_now(site, plain_copy(to, as_number(from), bytes));
}
CUresult on_cuMemcpyDtoH_v2(const CallSite& site, void* to, CUdeviceptr from, std::size_t bytes) {
  return copy_now(site, plain_copy(as_number(to), from, bytes));
}
CUresult on_cuMemcpyDtoD_v2(const CallSite& site, CUdeviceptr to, CUdeviceptr from,
                            std::size_t bytes) {
  return copy_now(site, plain_copy(to, from, bytes));
}
CUresult on_cuMemcpyAsync(const CallSite& site, CUdeviceptr to, CUdeviceptr from, std::size_t bytes,
                          CUstream stream) {
  return copy_later(site, plain_copy(to, from, bytes), stream);
}
CUresult on_cuMemcpyHtoDAsync_v2(const CallSite& site, CUdeviceptr to, const void* from,
                                 std::size_t bytes, CUstream stream) {
  return copy_later(site, plain_copy(to, as_number(from), bytes), stream);
}
CUresult on_cuMemcpyDtoHAsync_v2(const CallSite& site, void* to, CUdeviceptr from,
                                 std::size_t bytes, CUstream stream) {
  return copy_later(site, plain_copy(as_number(to), from, bytes), stream);
}
CUresult on_cuMemcpyDtoDAsync_v2(const CallSite& site, CUdeviceptr to, CUdeviceptr from,
                                 std::size_t bytes, CUstream stream) {
  return copy_later(site, plain_copy(to, from, bytes), stream);
}
CUresult on_cuMemcpyPeerAsync(const CallSite& site, CUdeviceptr to, CUcontext /*to_context*/,
                              CUdeviceptr from, CUcontext /*from_context*/, std::size_t bytes,
                              CUstream stream) {
  return copy_later(site, plain_copy(to, from, bytes), stream);
}

}  // namespace

STAND_IN_TWINS(cuMemcpy, _ptds, context, (CUdeviceptr to, CUdeviceptr from, std::size_t bytes), to,
               from, bytes)
STAND_IN_TWINS(cuMemcpyHtoD_v2, _ptds, context,
               (CUdeviceptr to, const void* from, std::size_t bytes), to, from, bytes)
STAND_IN_TWINS(cuMemcpyDtoH_v2, _ptds, context, (void* to, CUdeviceptr from, std::size_t bytes), to,
               from, bytes)
STAND_IN_TWINS(cuMemcpyDtoD_v2, _ptds, context,
               (CUdeviceptr to, CUdeviceptr from, std::size_t bytes), to, from, bytes)
STAND_IN_TWINS(cuMemcpyAsync, _ptsz, context,
               (CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream), to, from,
               bytes, stream)
STAND_IN_TWINS(cuMemcpyHtoDAsync_v2, _ptsz, context,
               (CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream), to, from,
               bytes, stream)
STAND_IN_TWINS(cuMemcpyDtoHAsync_v2, _ptsz, context,
               (void* to, CUdeviceptr from, std::size_t bytes, CUstream stream), to, from, bytes,
               stream)
STAND_IN_TWINS(cuMemcpyDtoDAsync_v2, _ptsz, context,
               (CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream), to, from,
               bytes, stream)
STAND_IN_TWINS(cuMemcpyPeerAsync, _ptsz, context,
               (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                std::size_t bytes, CUstream stream),
               to, to_context, from, from_context, bytes, stream)
