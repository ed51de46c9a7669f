// Tensor maps: descriptions of arrays for kernels that copy tiles. They are made on the host and
// take no memory of the device, and no kernel reads them here. So the map has the array's address
// alone.
#include "tools/cuda_standins/driver/driver_call.h"

using namespace vramlab::dry_run;

namespace {

/// The size of a CUtensorMap.
constexpr std::size_t map_bytes = 128;

CUresult make_map(const char* name, void* map, void* address) {
  const auto body = [=](StandInDriver&) {
    if (map == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::memset(map, 0, map_bytes);
    return put(map, address);
  };
  return driver_call({name, nothing}, body, map, address);
}

}  // namespace

// Callers pass the array's shape and its tiles behind these parameters, and clear them away.

STAND_IN_CALL(cuTensorMapEncodeTiled)(void* map, int /*type*/, unsigned /*rank*/, void* address) {
  return make_map("cuTensorMapEncodeTiled", map, address);
}

STAND_IN_CALL(cuTensorMapEncodeIm2col)(void* map, int /*type*/, unsigned /*rank*/, void* address) {
  return make_map("cuTensorMapEncodeIm2col", map, address);
}

STAND_IN_CALL(cuTensorMapEncodeIm2colWide)(void* map, int /*type*/, unsigned /*rank*/,
                                           void* address) {
  return make_map("cuTensorMapEncodeIm2colWide", map, address);
}

STAND_IN_CALL(cuTensorMapReplaceAddress)(void* map, void* address) {
  const auto body = [=](StandInDriver&) {
    return map == nullptr ? CUDA_ERROR_INVALID_VALUE : put(map, address);
  };
  return driver_call({"cuTensorMapReplaceAddress", nothing}, body, map, address);
}
