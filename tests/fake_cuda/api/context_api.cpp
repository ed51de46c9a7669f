// The driver, its devices and contexts.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/fake_cuda/api/fake_call.h"

using namespace vramlab::fake;

namespace {

bool has_device(const FakeCuda& fake, CUdevice device) {
  return device >= 0 && static_cast<std::uint32_t>(device) < fake.options().device_count;
}

int attribute_of(const FakeCuda& fake, CUdevice_attribute attribute) {
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      return 9;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      return 64;
    case CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT:
    case CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT:
      return 512;
    case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
    case CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY:
    case CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
      return 1;
    case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
      return fake.options().has_memory_mapping ? 1 : 0;
    default:
      return 0;
  }
}

/// As the real one, which is gone for what runs later in the exit of the process.
void tear_down_at_exit() {
#ifdef FAKE_CUDA_IS_LIBCUDA
  std::atexit([] { the_driver().look([](FakeCuda& fake) { fake.tear_down(); }); });
#endif
}

CUresult give_context(FakeCuda& fake, CUcontext* made, const Context& of) {
  *made = handle_of<CUcontext>(of.handle);
  fake.set_output(of.handle);
  return CUDA_SUCCESS;
}

CUresult create_context(const char* name, CUcontext* made, unsigned flags, CUdevice device) {
  const auto body = [=](FakeCuda& fake) {
    if (made == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (!has_device(fake, device)) return CUDA_ERROR_INVALID_DEVICE;
    const Context& created = fake.contexts().create(static_cast<std::uint32_t>(device), flags);
    fake.contexts().push(FakeCuda::thread().value, handle_of<CUcontext>(created.handle));
    return give_context(fake, made, created);
  };
  return fake_call({name, driver}, body, flags, device);
}

CUresult change_peer(const char* name, CUcontext peer, bool enable) {
  const auto body = [=](FakeCuda& fake) {
    Context* const other = fake.contexts().find(peer);
    if (other == nullptr || other->number == fake.current().number)
      return CUDA_ERROR_INVALID_CONTEXT;
    std::set<std::uint64_t>& peers = fake.current().peers;
    if (enable)
      return refuse_unless(peers.insert(other->handle).second,
                           CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
    return refuse_unless(peers.erase(other->handle) > 0, CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
  };
  return fake_call({name, context}, body, peer);
}

CUresult end_primary(const char* name, CUdevice device, bool is_reset) {
  const auto body = [=](FakeCuda& fake) {
    if (!has_device(fake, device)) return CUDA_ERROR_INVALID_DEVICE;
    const auto index = static_cast<std::uint32_t>(device);
    Context* const primary = fake.contexts().primary(index);
    if (primary == nullptr) return is_reset ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
    if (is_reset || fake.contexts().release_primary(index)) fake.destroy(*primary);
    return CUDA_SUCCESS;
  };
  return fake_call({name, driver}, body, device);
}

}  // namespace

FAKE_CUDA_CALL(cuInit)(unsigned flags) {
  const auto body = [=](FakeCuda& fake) {
    if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
    if (fake.options().device_count == 0) return CUDA_ERROR_NO_DEVICE;
    if (!fake.is_initialised()) tear_down_at_exit();
    fake.initialise();
    return CUDA_SUCCESS;
  };
  return fake_call({"cuInit", nothing}, body, flags);
}
FAKE_CUDA_CALL(cuDriverGetVersion)(int* version) {
  const auto body = [=](FakeCuda& fake) {
    return give(fake, version, fake.options().driver_version);
  };
  return fake_call({"cuDriverGetVersion", nothing}, body);
}
FAKE_CUDA_CALL(cuGetExportTable)(const void** /*table*/, const CUuuid* /*id*/) {
  const auto body = [](FakeCuda&) { return CUDA_ERROR_NOT_FOUND; };
  return fake_call({"cuGetExportTable", nothing}, body);
}

FAKE_CUDA_CALL(cuDeviceGetCount)(int* count) {
  const auto body = [=](FakeCuda& fake) { return give(fake, count, fake.options().device_count); };
  return fake_call({"cuDeviceGetCount", driver}, body);
}
FAKE_CUDA_CALL(cuDeviceGet)(CUdevice* device, int ordinal) {
  const auto body = [=](FakeCuda& fake) {
    return has_device(fake, ordinal) ? give(fake, device, ordinal) : CUDA_ERROR_INVALID_DEVICE;
  };
  return fake_call({"cuDeviceGet", driver}, body, ordinal);
}
FAKE_CUDA_CALL(cuDeviceGetName)(char* name, int room, CUdevice device) {
  const auto body = [=](FakeCuda& fake) {
    if (!has_device(fake, device)) return CUDA_ERROR_INVALID_DEVICE;
    if (name == nullptr || room < 1) return CUDA_ERROR_INVALID_VALUE;
    const std::string text = "fake device " + std::to_string(device);
    name[text.copy(name, static_cast<std::size_t>(room) - 1)] = '\0';
    return CUDA_SUCCESS;
  };
  return fake_call({"cuDeviceGetName", driver}, body, device);
}
FAKE_CUDA_CALL(cuDeviceGetUuid_v2)(CUuuid* uuid, CUdevice device) {
  const auto body = [=](FakeCuda& fake) {
    if (!has_device(fake, device)) return CUDA_ERROR_INVALID_DEVICE;
    if (uuid == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::memset(uuid->bytes, device + 1, sizeof uuid->bytes);
    return CUDA_SUCCESS;
  };
  return fake_call({"cuDeviceGetUuid_v2", driver}, body, device);
}
FAKE_CUDA_CALL(cuDeviceTotalMem_v2)(std::size_t* bytes, CUdevice device) {
  const auto body = [=](FakeCuda& fake) {
    if (!has_device(fake, device)) return CUDA_ERROR_INVALID_DEVICE;
    return give(fake, bytes, fake.options().memory_bytes);
  };
  return fake_call({"cuDeviceTotalMem_v2", driver}, body, device);
}
FAKE_CUDA_CALL(cuDeviceGetAttribute)(int* value, CUdevice_attribute attribute, CUdevice device) {
  const auto body = [=](FakeCuda& fake) {
    if (!has_device(fake, device)) return CUDA_ERROR_INVALID_DEVICE;
    return give(fake, value, attribute_of(fake, attribute));
  };
  return fake_call({"cuDeviceGetAttribute", driver}, body, attribute, device);
}
FAKE_CUDA_CALL(cuDeviceCanAccessPeer)(int* can, CUdevice device, CUdevice peer) {
  const auto body = [=](FakeCuda& fake) {
    if (!has_device(fake, device) || !has_device(fake, peer)) return CUDA_ERROR_INVALID_DEVICE;
    return give(fake, can, device == peer ? 0 : 1);
  };
  return fake_call({"cuDeviceCanAccessPeer", driver}, body, device, peer);
}

FAKE_CUDA_CALL(cuDevicePrimaryCtxRetain)(CUcontext* made, CUdevice device) {
  const auto body = [=](FakeCuda& fake) {
    if (made == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (!has_device(fake, device)) return CUDA_ERROR_INVALID_DEVICE;
    return give_context(fake, made,
                        fake.contexts().retain_primary(static_cast<std::uint32_t>(device)));
  };
  return fake_call({"cuDevicePrimaryCtxRetain", driver}, body, device);
}
FAKE_CUDA_CALL(cuDevicePrimaryCtxRelease)(CUdevice device) {
  return end_primary("cuDevicePrimaryCtxRelease", device, false);
}
FAKE_CUDA_CALL(cuDevicePrimaryCtxRelease_v2)(CUdevice device) {
  return end_primary("cuDevicePrimaryCtxRelease_v2", device, false);
}
FAKE_CUDA_CALL(cuDevicePrimaryCtxReset)(CUdevice device) {
  return end_primary("cuDevicePrimaryCtxReset", device, true);
}
FAKE_CUDA_CALL(cuDevicePrimaryCtxReset_v2)(CUdevice device) {
  return end_primary("cuDevicePrimaryCtxReset_v2", device, true);
}
FAKE_CUDA_CALL(cuDevicePrimaryCtxSetFlags_v2)(CUdevice device, unsigned flags) {
  const auto body = [=](FakeCuda& fake) {
    if (!has_device(fake, device)) return CUDA_ERROR_INVALID_DEVICE;
    fake.contexts().primary_flags(static_cast<std::uint32_t>(device)) = flags;
    return CUDA_SUCCESS;
  };
  return fake_call({"cuDevicePrimaryCtxSetFlags_v2", driver}, body, device, flags);
}
FAKE_CUDA_CALL(cuDevicePrimaryCtxGetState)(CUdevice device, unsigned* flags, int* active) {
  const auto body = [=](FakeCuda& fake) {
    if (!has_device(fake, device)) return CUDA_ERROR_INVALID_DEVICE;
    const auto index = static_cast<std::uint32_t>(device);
    if (flags != nullptr) *flags = fake.contexts().primary_flags(index);
    if (active != nullptr) *active = fake.contexts().primary(index) == nullptr ? 0 : 1;
    return CUDA_SUCCESS;
  };
  return fake_call({"cuDevicePrimaryCtxGetState", driver}, body, device);
}

FAKE_CUDA_CALL(cuCtxCreate_v2)(CUcontext* made, unsigned flags, CUdevice device) {
  return create_context("cuCtxCreate_v2", made, flags, device);
}
FAKE_CUDA_CALL(cuCtxCreate_v3)
(CUcontext* made, CUexecAffinityParam* /*parameters*/, int /*count*/, unsigned flags,
 CUdevice device) {
  return create_context("cuCtxCreate_v3", made, flags, device);
}
FAKE_CUDA_CALL(cuCtxCreate_v4)
(CUcontext* made, CUctxCreateParams* /*parameters*/, unsigned flags, CUdevice device) {
  return create_context("cuCtxCreate_v4", made, flags, device);
}
namespace {
CUresult destroy_context(const char* name, CUcontext gone) {
  const auto body = [=](FakeCuda& fake) {
    Context* const found = fake.contexts().find(gone);
    if (found == nullptr || found->is_primary || found->is_green) return CUDA_ERROR_INVALID_CONTEXT;
    const std::uint32_t thread = FakeCuda::thread().value;
    fake.destroy(*found);
    if (fake.contexts().current(thread) == gone) fake.contexts().pop(thread);
    return CUDA_SUCCESS;
  };
  return fake_call({name, driver}, body, gone);
}
}  // namespace
FAKE_CUDA_CALL(cuCtxDestroy)(CUcontext gone) { return destroy_context("cuCtxDestroy", gone); }
FAKE_CUDA_CALL(cuCtxDestroy_v2)(CUcontext gone) { return destroy_context("cuCtxDestroy_v2", gone); }
FAKE_CUDA_CALL(cuCtxPushCurrent_v2)(CUcontext pushed) {
  const auto body = [=](FakeCuda& fake) {
    if (fake.contexts().find(pushed) == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    fake.contexts().push(FakeCuda::thread().value, pushed);
    return CUDA_SUCCESS;
  };
  return fake_call({"cuCtxPushCurrent_v2", driver}, body, pushed);
}
FAKE_CUDA_CALL(cuCtxPopCurrent_v2)(CUcontext* popped) {
  const auto body = [=](FakeCuda& fake) {
    const std::uint32_t thread = FakeCuda::thread().value;
    const CUcontext before = fake.contexts().current(thread);
    if (!fake.contexts().pop(thread)) return CUDA_ERROR_INVALID_CONTEXT;
    if (popped != nullptr) *popped = before;
    return CUDA_SUCCESS;
  };
  return fake_call({"cuCtxPopCurrent_v2", driver}, body);
}
FAKE_CUDA_CALL(cuCtxSetCurrent)(CUcontext now) {
  const auto body = [=](FakeCuda& fake) {
    if (now != nullptr && fake.contexts().find(now) == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    fake.contexts().set_current(FakeCuda::thread().value, now);
    return CUDA_SUCCESS;
  };
  return fake_call({"cuCtxSetCurrent", driver}, body, now);
}
FAKE_CUDA_CALL(cuCtxGetCurrent)(CUcontext* now) {
  const auto body = [=](FakeCuda& fake) {
    if (now == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *now = fake.contexts().current(FakeCuda::thread().value);
    return CUDA_SUCCESS;
  };
  return fake_call({"cuCtxGetCurrent", driver}, body);
}
FAKE_CUDA_CALL(cuCtxGetDevice)(CUdevice* device) {
  const auto body = [=](FakeCuda& fake) { return give(fake, device, fake.current().device); };
  return fake_call({"cuCtxGetDevice", context}, body);
}
FAKE_CUDA_CALL(cuCtxGetFlags)(unsigned* flags) {
  const auto body = [=](FakeCuda& fake) { return give(fake, flags, fake.current().flags); };
  return fake_call({"cuCtxGetFlags", context}, body);
}
FAKE_CUDA_CALL(cuCtxGetId)(CUcontext of, unsigned long long* id) {
  const auto body = [=](FakeCuda& fake) {
    const CUcontext asked = of == nullptr ? fake.contexts().current(FakeCuda::thread().value) : of;
    const Context* const found = fake.contexts().find(asked);
    return found == nullptr ? CUDA_ERROR_INVALID_CONTEXT : give(fake, id, found->id);
  };
  return fake_call({"cuCtxGetId", driver}, body, of);
}
FAKE_CUDA_CALL(cuCtxGetApiVersion)(CUcontext /*of*/, unsigned* version) {
  const auto body = [=](FakeCuda& fake) { return give(fake, version, 3020U); };
  return fake_call({"cuCtxGetApiVersion", driver}, body);
}
FAKE_CUDA_CALL(cuCtxGetStreamPriorityRange)(int* least, int* greatest) {
  const auto body = [=](FakeCuda&) {
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = vramlab::streams::greatest_priority;
    return CUDA_SUCCESS;
  };
  return fake_call({"cuCtxGetStreamPriorityRange", context}, body);
}
FAKE_CUDA_CALL(cuCtxSynchronize)() {
  const auto body = [](FakeCuda& fake) {
    return result_of(fake.timed().synchronize_device(fake.current().number));
  };
  return fake_call({"cuCtxSynchronize", context}, body);
}
FAKE_CUDA_CALL(cuCtxSynchronize_v2)(CUcontext of) {
  const auto body = [=](FakeCuda& fake) {
    const CUcontext asked = of == nullptr ? fake.contexts().current(FakeCuda::thread().value) : of;
    const Context* const found = fake.contexts().find(asked);
    if (found == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    if (found->sticky != CUDA_SUCCESS) return found->sticky;
    return result_of(fake.timed().synchronize_device(found->number));
  };
  return fake_call({"cuCtxSynchronize_v2", driver}, body, of);
}
FAKE_CUDA_CALL(cuCtxEnablePeerAccess)(CUcontext peer, unsigned /*flags*/) {
  return change_peer("cuCtxEnablePeerAccess", peer, true);
}
FAKE_CUDA_CALL(cuCtxDisablePeerAccess)(CUcontext peer) {
  return change_peer("cuCtxDisablePeerAccess", peer, false);
}
