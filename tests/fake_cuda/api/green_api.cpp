// Green contexts: parts of a primary context, whose streams are its streams.
#include "tests/fake_cuda/api/fake_call.h"

using namespace vramlab::fake;

namespace {

/// A green context and the context made of it have the same handle.
Context* find_green(FakeCuda& fake, CUgreenCtx handle) {
  Context* const found = fake.contexts().find(handle_of<CUcontext>(value_of(handle)));
  return found != nullptr && found->is_green ? found : nullptr;
}

}  // namespace

FAKE_CUDA_CALL(cuGreenCtxCreate)
(CUgreenCtx* made, CUdevResourceDesc /*resources*/, CUdevice device, unsigned flags) {
  const auto body = [=](FakeCuda& fake) {
    if (made == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto index = static_cast<std::uint32_t>(device);
    if (device < 0 || index >= fake.options().device_count) return CUDA_ERROR_INVALID_DEVICE;
    fake.contexts().retain_primary(index);
    *made = handle_of<CUgreenCtx>(fake.contexts().create_green(index, flags).handle);
    fake.set_output(value_of(*made));
    return CUDA_SUCCESS;
  };
  return fake_call({"cuGreenCtxCreate", driver}, body, device, flags);
}
FAKE_CUDA_CALL(cuGreenCtxDestroy)(CUgreenCtx gone) {
  const auto body = [=](FakeCuda& fake) {
    const Context* const found = find_green(fake, gone);
    if (found == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    const std::uint32_t device = found->device;
    fake.contexts().remove_green(*found);
    if (fake.contexts().release_primary(device)) fake.destroy(*fake.contexts().primary(device));
    return CUDA_SUCCESS;
  };
  return fake_call({"cuGreenCtxDestroy", driver}, body, gone);
}
FAKE_CUDA_CALL(cuCtxFromGreenCtx)(CUcontext* made, CUgreenCtx green) {
  const auto body = [=](FakeCuda& fake) {
    const Context* const found = find_green(fake, green);
    if (made == nullptr || found == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *made = handle_of<CUcontext>(found->handle);
    return CUDA_SUCCESS;
  };
  return fake_call({"cuCtxFromGreenCtx", driver}, body, green);
}
FAKE_CUDA_CALL(cuGreenCtxStreamCreate)
(CUstream* stream, CUgreenCtx green, unsigned flags, int priority) {
  const auto body = [=](FakeCuda& fake) {
    const Context* const found = find_green(fake, green);
    if (stream == nullptr || found == nullptr || flags != CU_STREAM_NON_BLOCKING)
      return CUDA_ERROR_INVALID_VALUE;
    *stream = fake.streams().create_stream({found->number, flags, priority});
    fake.set_output(value_of(*stream));
    return CUDA_SUCCESS;
  };
  return fake_call({"cuGreenCtxStreamCreate", driver}, body, green, flags);
}
