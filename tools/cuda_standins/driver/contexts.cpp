// Contexts: primary ones, others, green ones, their settings and their peers.
#include "tools/cuda_standins/driver/driver_call.h"
#include "tools/cuda_standins/driver/driver_types.h"

using namespace vramlab::dry_run;

namespace {

CUresult give_context(StandInDriver& driver, CUcontext* made, const Context& of) {
  *made = handle_of<CUcontext>(of.handle);
  driver.set_output(of.handle);
  return CUDA_SUCCESS;
}

CUresult create_context(const char* name, CUcontext* made, unsigned flags, CUdevice device) {
  const auto body = [=](StandInDriver& driver) {
    if (made == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (!has_device(driver, device)) return CUDA_ERROR_INVALID_DEVICE;
    const Context& created = driver.contexts().create(static_cast<std::uint32_t>(device), flags);
    driver.contexts().push(StandInDriver::thread().value, handle_of<CUcontext>(created.handle));
    return give_context(driver, made, created);
  };
  return driver_call({name, initialised}, body, flags, device);
}

CUresult change_peer(const char* name, CUcontext peer, bool enable) {
  const auto body = [=](StandInDriver& driver) {
    Context* const other = driver.contexts().find(peer);
    if (other == nullptr || other->number == driver.current().number)
      return CUDA_ERROR_INVALID_CONTEXT;
    std::set<std::uint64_t>& peers = driver.current().peers;
    if (enable)
      return refuse_unless(peers.insert(other->handle).second,
                           CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
    return refuse_unless(peers.erase(other->handle) > 0, CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
  };
  return driver_call({name, context}, body, peer);
}

CUresult end_primary(const char* name, CUdevice device, bool is_reset) {
  const auto body = [=](StandInDriver& driver) {
    if (!has_device(driver, device)) return CUDA_ERROR_INVALID_DEVICE;
    const auto index = static_cast<std::uint32_t>(device);
    Context* const primary = driver.contexts().primary(index);
    if (primary == nullptr) return is_reset ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
    if (is_reset || driver.contexts().release_primary(index)) driver.destroy(*primary);
    return CUDA_SUCCESS;
  };
  return driver_call({name, initialised}, body, device);
}

}  // namespace

STAND_IN_CALL(cuDevicePrimaryCtxRetain)(CUcontext* made, CUdevice device) {
  const auto body = [=](StandInDriver& driver) {
    if (made == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (!has_device(driver, device)) return CUDA_ERROR_INVALID_DEVICE;
    return give_context(driver, made,
                        driver.contexts().retain_primary(static_cast<std::uint32_t>(device)));
  };
  return driver_call({"cuDevicePrimaryCtxRetain", initialised}, body, device);
}
STAND_IN_CALL(cuDevicePrimaryCtxRelease)(CUdevice device) {
  return end_primary("cuDevicePrimaryCtxRelease", device, false);
}
STAND_IN_CALL(cuDevicePrimaryCtxRelease_v2)(CUdevice device) {
  return end_primary("cuDevicePrimaryCtxRelease_v2", device, false);
}
STAND_IN_CALL(cuDevicePrimaryCtxReset)(CUdevice device) {
  return end_primary("cuDevicePrimaryCtxReset", device, true);
}
STAND_IN_CALL(cuDevicePrimaryCtxReset_v2)(CUdevice device) {
  return end_primary("cuDevicePrimaryCtxReset_v2", device, true);
}
STAND_IN_CALL(cuDevicePrimaryCtxSetFlags_v2)(CUdevice device, unsigned flags) {
  const auto body = [=](StandInDriver& driver) {
    if (!has_device(driver, device)) return CUDA_ERROR_INVALID_DEVICE;
    driver.contexts().primary_flags(static_cast<std::uint32_t>(device)) = flags;
    return CUDA_SUCCESS;
  };
  return driver_call({"cuDevicePrimaryCtxSetFlags_v2", initialised}, body, device, flags);
}
STAND_IN_CALL(cuDevicePrimaryCtxGetState)(CUdevice device, unsigned* flags, int* active) {
  const auto body = [=](StandInDriver& driver) {
    if (!has_device(driver, device)) return CUDA_ERROR_INVALID_DEVICE;
    const auto index = static_cast<std::uint32_t>(device);
    if (flags != nullptr) *flags = driver.contexts().primary_flags(index);
    if (active != nullptr) *active = driver.contexts().primary(index) == nullptr ? 0 : 1;
    return CUDA_SUCCESS;
  };
  return driver_call({"cuDevicePrimaryCtxGetState", initialised}, body, device);
}

STAND_IN_CALL(cuCtxCreate_v2)(CUcontext* made, unsigned flags, CUdevice device) {
  return create_context("cuCtxCreate_v2", made, flags, device);
}
STAND_IN_CALL(cuCtxCreate_v3)
(CUcontext* made, CUexecAffinityParam* /*parameters*/, int /*count*/, unsigned flags,
 CUdevice device) {
  return create_context("cuCtxCreate_v3", made, flags, device);
}
STAND_IN_CALL(cuCtxCreate_v4)
(CUcontext* made, CUctxCreateParams* /*parameters*/, unsigned flags, CUdevice device) {
  return create_context("cuCtxCreate_v4", made, flags, device);
}
namespace {
CUresult destroy_context(const char* name, CUcontext gone) {
  const auto body = [=](StandInDriver& driver) {
    Context* const found = driver.contexts().find(gone);
    if (found == nullptr || found->is_primary || found->is_green) return CUDA_ERROR_INVALID_CONTEXT;
    const std::uint32_t thread = StandInDriver::thread().value;
    driver.destroy(*found);
    if (driver.contexts().current(thread) == gone) driver.contexts().pop(thread);
    return CUDA_SUCCESS;
  };
  return driver_call({name, initialised}, body, gone);
}
}  // namespace
STAND_IN_CALL(cuCtxDestroy)(CUcontext gone) { return destroy_context("cuCtxDestroy", gone); }
STAND_IN_CALL(cuCtxDestroy_v2)(CUcontext gone) { return destroy_context("cuCtxDestroy_v2", gone); }
STAND_IN_CALL(cuCtxPushCurrent_v2)(CUcontext pushed) {
  const auto body = [=](StandInDriver& driver) {
    if (driver.contexts().find(pushed) == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    driver.contexts().push(StandInDriver::thread().value, pushed);
    return CUDA_SUCCESS;
  };
  return driver_call({"cuCtxPushCurrent_v2", initialised}, body, pushed);
}
STAND_IN_CALL(cuCtxPopCurrent_v2)(CUcontext* popped) {
  const auto body = [=](StandInDriver& driver) {
    const std::uint32_t thread = StandInDriver::thread().value;
    const CUcontext before = driver.contexts().current(thread);
    if (!driver.contexts().pop(thread)) return CUDA_ERROR_INVALID_CONTEXT;
    if (popped != nullptr) *popped = before;
    return CUDA_SUCCESS;
  };
  return driver_call({"cuCtxPopCurrent_v2", initialised}, body);
}
STAND_IN_CALL(cuCtxSetCurrent)(CUcontext now) {
  const auto body = [=](StandInDriver& driver) {
    if (now != nullptr && driver.contexts().find(now) == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    driver.contexts().set_current(StandInDriver::thread().value, now);
    return CUDA_SUCCESS;
  };
  return driver_call({"cuCtxSetCurrent", initialised}, body, now);
}
STAND_IN_CALL(cuCtxGetCurrent)(CUcontext* now) {
  const auto body = [=](StandInDriver& driver) {
    if (now == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *now = driver.contexts().current(StandInDriver::thread().value);
    return CUDA_SUCCESS;
  };
  return driver_call({"cuCtxGetCurrent", initialised}, body);
}
STAND_IN_CALL(cuCtxGetDevice)(CUdevice* device) {
  const auto body = [=](StandInDriver& driver) {
    return give(driver, device, driver.current().device);
  };
  return driver_call({"cuCtxGetDevice", context}, body);
}
STAND_IN_CALL(cuCtxGetFlags)(unsigned* flags) {
  const auto body = [=](StandInDriver& driver) {
    return give(driver, flags, driver.current().flags);
  };
  return driver_call({"cuCtxGetFlags", context}, body);
}
STAND_IN_CALL(cuCtxGetId)(CUcontext of, unsigned long long* id) {
  const auto body = [=](StandInDriver& driver) {
    const CUcontext asked =
        of == nullptr ? driver.contexts().current(StandInDriver::thread().value) : of;
    const Context* const found = driver.contexts().find(asked);
    return found == nullptr ? CUDA_ERROR_INVALID_CONTEXT : give(driver, id, found->id);
  };
  return driver_call({"cuCtxGetId", initialised}, body, of);
}
STAND_IN_CALL(cuCtxGetApiVersion)(CUcontext /*of*/, unsigned* version) {
  const auto body = [=](StandInDriver& driver) { return give(driver, version, 3020U); };
  return driver_call({"cuCtxGetApiVersion", initialised}, body);
}
STAND_IN_CALL(cuCtxGetStreamPriorityRange)(int* least, int* greatest) {
  const auto body = [=](StandInDriver&) {
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = vramlab::streams::greatest_priority;
    return CUDA_SUCCESS;
  };
  return driver_call({"cuCtxGetStreamPriorityRange", context}, body);
}
STAND_IN_CALL(cuCtxSynchronize)() {
  const auto body = [](StandInDriver& driver) {
    return result_of(driver.timed().synchronize_device(driver.current().number));
  };
  return driver_call({"cuCtxSynchronize", context}, body);
}
STAND_IN_CALL(cuCtxSynchronize_v2)(CUcontext of) {
  const auto body = [=](StandInDriver& driver) {
    const CUcontext asked =
        of == nullptr ? driver.contexts().current(StandInDriver::thread().value) : of;
    const Context* const found = driver.contexts().find(asked);
    if (found == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    if (found->sticky != CUDA_SUCCESS) return found->sticky;
    return result_of(driver.timed().synchronize_device(found->number));
  };
  return driver_call({"cuCtxSynchronize_v2", initialised}, body, of);
}
STAND_IN_CALL(cuCtxEnablePeerAccess)(CUcontext peer, unsigned /*flags*/) {
  return change_peer("cuCtxEnablePeerAccess", peer, true);
}
STAND_IN_CALL(cuCtxDisablePeerAccess)(CUcontext peer) {
  return change_peer("cuCtxDisablePeerAccess", peer, false);
}

// Settings of contexts, which change nothing here but the answers, and older forms of functions.

namespace {

/// The defaults, where CUDA documents them: bytes of a thread's stack, of the buffer of printf, of
/// the heap, the depth of nested launches and how many of them wait, bytes of an L2 fetch.
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

// Green contexts: parts of a primary context, whose streams are its streams.

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
