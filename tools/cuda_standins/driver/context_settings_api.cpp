// What contexts can be set to, which changes nothing here but the answers; and older ways to make
// and change the current context.
#include "tools/cuda_standins/driver/driver_call.h"
#include "tools/cuda_standins/driver/driver_types.h"

using namespace vramlab::dry_run;

namespace {

/// What CUDA documents as defaults, where it does: bytes of a thread's stack, of the buffer of
/// printf, of the heap, the depth of nested launches and how many of them wait, bytes of an L2
/// fetch.
constexpr std::size_t default_limits[] = {1024, 1 << 20, 8 << 20, 2, 2048, 64};

}  // namespace

STAND_IN_CALL(cuCtxGetLimit)(std::size_t* value, CUlimit limit) {
  const auto body = [=](StandInDriver& driver) {
    constexpr unsigned known_limits = 11;
    if (limit >= known_limits) return CUDA_ERROR_INVALID_VALUE;
    const auto& set = driver.current().limits;
    if (const auto found = set.find(limit); found != set.end())
      return give(driver, value, found->second);
    return give(driver, value, limit < std::size(default_limits) ? default_limits[limit] : 0);
  };
  return driver_call({"cuCtxGetLimit", context}, body, limit);
}
STAND_IN_CALL(cuCtxSetLimit)(CUlimit limit, std::size_t value) {
  const auto body = [=](StandInDriver& driver) {
    driver.current().limits[limit] = value;
    return CUDA_SUCCESS;
  };
  return driver_call({"cuCtxSetLimit", context}, body, limit, value);
}
STAND_IN_CALL(cuCtxGetCacheConfig)(unsigned* config) {
  return driver_call({"cuCtxGetCacheConfig", context},
                     [=](StandInDriver& driver) { return give(driver, config, 0U); });
}
STAND_IN_CALL(cuCtxSetCacheConfig)(unsigned /*config*/) { return accept("cuCtxSetCacheConfig"); }
STAND_IN_CALL(cuCtxGetSharedMemConfig)(unsigned* config) {
  return driver_call({"cuCtxGetSharedMemConfig", context},
                     [=](StandInDriver& driver) { return give(driver, config, 1U); });
}
STAND_IN_CALL(cuCtxSetSharedMemConfig)(unsigned /*config*/) {
  return accept("cuCtxSetSharedMemConfig");
}
STAND_IN_CALL(cuCtxResetPersistingL2Cache)() { return accept("cuCtxResetPersistingL2Cache"); }
STAND_IN_CALL(cuCtxSetFlags)(unsigned flags) {
  const auto body = [=](StandInDriver& driver) {
    driver.current().flags = flags;
    return CUDA_SUCCESS;
  };
  return driver_call({"cuCtxSetFlags", context}, body, flags);
}
STAND_IN_CALL(cuCtxGetDevice_v2)(CUdevice* device, CUcontext of) {
  const auto body = [=](StandInDriver& driver) {
    const CUcontext asked =
        of == nullptr ? driver.contexts().current(StandInDriver::thread().value) : of;
    const Context* const found = driver.contexts().find(asked);
    return found == nullptr ? CUDA_ERROR_INVALID_CONTEXT : give(driver, device, found->device);
  };
  return driver_call({"cuCtxGetDevice_v2", initialised}, body, of);
}
STAND_IN_CALL(cuDevicePrimaryCtxSetFlags)(CUdevice device, unsigned flags) {
  const auto body = [=](StandInDriver& driver) {
    if (!has_device(driver, device)) return CUDA_ERROR_INVALID_DEVICE;
    driver.contexts().primary_flags(static_cast<std::uint32_t>(device)) = flags;
    return CUDA_SUCCESS;
  };
  return driver_call({"cuDevicePrimaryCtxSetFlags", initialised}, body, device, flags);
}
