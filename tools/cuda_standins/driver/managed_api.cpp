// Advice on managed memory, which changes nothing: it is the host's here.
#include <cstring>

#include "tools/cuda_standins/driver/driver_call.h"
#include "tools/cuda_standins/driver/driver_types.h"

using namespace vramlab::dry_run;

namespace {

CUresult on_cuMemPrefetchAsync(const CallSite& site, CUdeviceptr /*at*/, std::size_t /*bytes*/,
                               CUdevice /*to*/, CUstream /*stream*/) {
  return accept(site.name);
}
CUresult on_cuMemPrefetchAsync_v2(const CallSite& site, CUdeviceptr /*at*/, std::size_t /*bytes*/,
                                  CUmemLocation /*to*/, unsigned /*flags*/, CUstream /*stream*/) {
  return accept(site.name);
}

/// No advice was taken: each attribute is 0.
CUresult give_no_advice(const char* name, void* into, std::size_t bytes) {
  return driver_call({name, initialised}, [=](StandInDriver&) {
    if (into == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::memset(into, 0, bytes);
    return CUDA_SUCCESS;
  });
}

}  // namespace

STAND_IN_TWINS(cuMemPrefetchAsync, _ptsz, context,
               (CUdeviceptr at, std::size_t bytes, CUdevice to, CUstream stream), at, bytes, to,
               stream)
STAND_IN_TWINS(cuMemPrefetchAsync_v2, _ptsz, context,
               (CUdeviceptr at, std::size_t bytes, CUmemLocation to, unsigned flags,
                CUstream stream),
               at, bytes, to, flags, stream)
STAND_IN_CALL(cuMemAdvise)
(CUdeviceptr /*at*/, std::size_t /*bytes*/, unsigned /*advice*/, CUdevice /*device*/) {
  return accept("cuMemAdvise");
}
STAND_IN_CALL(cuMemAdvise_v2)
(CUdeviceptr /*at*/, std::size_t /*bytes*/, unsigned /*advice*/, CUmemLocation /*place*/) {
  return accept("cuMemAdvise_v2");
}
STAND_IN_CALL(cuMemRangeGetAttribute)
(void* into, std::size_t room, unsigned /*attribute*/, CUdeviceptr /*at*/, std::size_t /*bytes*/) {
  return give_no_advice("cuMemRangeGetAttribute", into, room);
}
STAND_IN_CALL(cuMemRangeGetAttributes)
(void** into, std::size_t* rooms, const unsigned* /*attributes*/, std::size_t count,
 CUdeviceptr /*at*/, std::size_t /*bytes*/) {
  if (into == nullptr || rooms == nullptr) return CUDA_ERROR_INVALID_VALUE;
  for (std::size_t place = 0; place < count; ++place)
    if (const CUresult result =
            give_no_advice("cuMemRangeGetAttributes", into[place], rooms[place]);
        result != CUDA_SUCCESS)
      return result;
  return CUDA_SUCCESS;
}
