// Green contexts: parts of a primary context, whose streams are its streams.
#include "tools/cuda_standins/driver/driver_call.h"

using namespace vramlab::dry_run;

namespace {

/// A green context and the context made of it have the same handle.
Context* find_green(StandInDriver& driver, CUgreenCtx handle) {
  Context* const found = driver.contexts().find(handle_of<CUcontext>(value_of(handle)));
  return found != nullptr && found->is_green ? found : nullptr;
}

}  // namespace

STAND_IN_CALL(cuGreenCtxCreate)
(CUgreenCtx* made, CUdevResourceDesc /*resources*/, CUdevice device, unsigned flags) {
  const auto body = [=](StandInDriver& driver) {
    if (made == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto index = static_cast<std::uint32_t>(device);
    if (!has_device(driver, device)) return CUDA_ERROR_INVALID_DEVICE;
    driver.contexts().retain_primary(index);
    *made = handle_of<CUgreenCtx>(driver.contexts().create_green(index, flags).handle);
    driver.set_output(value_of(*made));
    return CUDA_SUCCESS;
  };
  return driver_call({"cuGreenCtxCreate", initialised}, body, device, flags);
}
STAND_IN_CALL(cuGreenCtxDestroy)(CUgreenCtx gone) {
  const auto body = [=](StandInDriver& driver) {
    const Context* const found = find_green(driver, gone);
    if (found == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    const std::uint32_t device = found->device;
    driver.contexts().remove_green(*found);
    if (driver.contexts().release_primary(device))
      driver.destroy(*driver.contexts().primary(device));
    return CUDA_SUCCESS;
  };
  return driver_call({"cuGreenCtxDestroy", initialised}, body, gone);
}
STAND_IN_CALL(cuCtxFromGreenCtx)(CUcontext* made, CUgreenCtx green) {
  const auto body = [=](StandInDriver& driver) {
    const Context* const found = find_green(driver, green);
    if (made == nullptr || found == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *made = handle_of<CUcontext>(found->handle);
    return CUDA_SUCCESS;
  };
  return driver_call({"cuCtxFromGreenCtx", initialised}, body, green);
}
STAND_IN_CALL(cuGreenCtxStreamCreate)
(CUstream* stream, CUgreenCtx green, unsigned flags, int priority) {
  const auto body = [=](StandInDriver& driver) {
    const Context* const found = find_green(driver, green);
    if (stream == nullptr || found == nullptr || flags != CU_STREAM_NON_BLOCKING)
      return CUDA_ERROR_INVALID_VALUE;
    *stream = driver.streams().create_stream({found->number, flags, priority});
    driver.set_output(value_of(*stream));
    return CUDA_SUCCESS;
  };
  return driver_call({"cuGreenCtxStreamCreate", initialised}, body, green, flags);
}
