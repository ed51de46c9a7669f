// The exports that tell of contexts, streams and captures, and leave the work to the driver.
#include <array>
#include <atomic>

#include "tools/preload/exports/front.h"

using namespace vramlab::preload;

namespace {

/// Devices whose primary context is remembered. More than a machine has.
constexpr int most_devices = 256;
/// As the program was given it. The driver has no question for a context that is gone.
std::array<std::atomic<CUcontext>, most_devices> primary_contexts;

bool is_known(CUdevice device) { return device >= 0 && device < most_devices; }

/// Requires: it is still there.
NamedContext named(CUcontext context) {
  NamedContext going{context};
  const auto id_of = driver_function_of<CUresult (*)(CUcontext, unsigned long long*)>("cuCtxGetId");
  if (context == nullptr || id_of == nullptr || id_of(context, &going.id) != CUDA_SUCCESS)
    going.id = 0;
  return going;
}

bool is_active(CUdevice device) {
  const auto state =
      driver_function_of<PFN_cuDevicePrimaryCtxGetState_v7000>("cuDevicePrimaryCtxGetState");
  unsigned flags = 0;
  int active = 0;
  // If the driver can't say, the context counts as active.
  return state == nullptr || state(device, &flags, &active) != CUDA_SUCCESS || active != 0;
}

NamedContext primary_about_to_go(CUdevice device) {
  if (!is_known(device)) return {};
  return named(primary_contexts[static_cast<std::size_t>(device)].load());
}

/// Others may get its addresses before anybody can tell that it is gone.
template <Hook hook, class IsGone, class... Arguments>
CUresult end_context_if(const NamedContext& going, const IsGone& is_gone,
                        Arguments... arguments) noexcept {
  const ProgramCall call;
  MemoryCalls* const calls = going.handle == nullptr ? nullptr : call.calls();
  if (calls != nullptr) calls->before_context_ends(going);
  const CUresult result = call_with_room<hook>(current_device, call.calls(), arguments...);
  if (calls == nullptr) return result;
  if (result == CUDA_SUCCESS && is_gone()) calls->context_gone(going);
  calls->context_end_is_over();
  return result;
}

template <Hook hook, class... Arguments>
CUresult end_context(const NamedContext& going, Arguments... arguments) noexcept {
  return end_context_if<hook>(
      going, [] { return true; }, arguments...);
}

template <Hook hook>
CUresult release_primary(CUdevice device) noexcept {
  return end_context_if<hook>(
      primary_about_to_go(device), [device] { return !is_active(device); }, device);
}

template <Hook hook>
CUresult retain_primary(CUcontext* context, CUdevice device) noexcept {
  return followed_on_device<hook>(
      device,
      [&](MemoryCalls& /*calls*/) {
        if (is_known(device)) primary_contexts[static_cast<std::size_t>(device)].store(*context);
      },
      context, device);
}

template <Hook hook, class... Arguments>
CUresult create_context(CUdevice device, Arguments... arguments) noexcept {
  return followed_on_device<hook>(
      device, [](MemoryCalls&) {}, arguments...);
}

/// Below 0 where nobody can say.
CUdevice device_of(CUcontext context) {
  const auto push = driver_function_of<PFN_cuCtxPushCurrent_v4000>("cuCtxPushCurrent_v2");
  const auto pop = driver_function_of<PFN_cuCtxPopCurrent_v4000>("cuCtxPopCurrent_v2");
  const auto ask = driver_function_of<PFN_cuCtxGetDevice_v2000>("cuCtxGetDevice");
  if (context == nullptr || push == nullptr || pop == nullptr || ask == nullptr) return -1;
  CUdevice device = -1;
  CUcontext popped = nullptr;
  if (push(context) != CUDA_SUCCESS) return -1;
  if (ask(&device) != CUDA_SUCCESS) device = -1;
  pop(&popped);
  return device;
}

CUcontext context_of(CUgreenCtx green) {
  const auto ask = driver_function_of<PFN_cuCtxFromGreenCtx_v12040>("cuCtxFromGreenCtx");
  CUcontext context = nullptr;
  return ask == nullptr || ask(&context, green) != CUDA_SUCCESS ? nullptr : context;
}

/// Its primary context was retained with it.
CUcontext primary_of(CUdevice device) {
  const auto retain =
      driver_function_of<PFN_cuDevicePrimaryCtxRetain_v7000>("cuDevicePrimaryCtxRetain");
  const auto release =
      driver_function_of<PFN_cuDevicePrimaryCtxRelease_v11000>("cuDevicePrimaryCtxRelease_v2");
  CUcontext primary = nullptr;
  if (retain == nullptr || release == nullptr || retain(&primary, device) != CUDA_SUCCESS)
    return nullptr;
  release(device);
  return primary;
}

template <Hook hook>
CUresult create_green(CUgreenCtx* green, CUdevResourceDesc resources, CUdevice device,
                      unsigned flags) noexcept {
  return followed_on_device<hook>(
      device,
      [&](MemoryCalls& calls) {
        const CUcontext primary = primary_of(device);
        if (primary == nullptr) return;
        if (is_known(device)) primary_contexts[static_cast<std::size_t>(device)].store(primary);
        calls.green_context_came(named(context_of(*green)), primary);
      },
      green, resources, device, flags);
}

/// The last green context may take the primary one along. No other question tells its device.
template <Hook hook>
CUresult destroy_green(CUgreenCtx green) noexcept {
  const NamedContext going = named(context_of(green));
  const CUdevice device = device_of(going.handle);
  const NamedContext primary = primary_about_to_go(device);
  return followed_by<hook>(
      [&](MemoryCalls& calls) {
        calls.green_context_gone(going);
        if (primary.handle != nullptr && !is_active(device)) calls.context_gone(primary);
      },
      green);
}

template <Hook hook>
CUresult create_green_stream(CUstream* stream, CUgreenCtx green, unsigned flags,
                             int priority) noexcept {
  return followed_by<hook>(
      [&](MemoryCalls& calls) { calls.stream_created(*stream, flags, context_of(green)); }, stream,
      green, flags, priority);
}

template <Hook hook, class... Arguments>
CUresult change_peer_access(bool enabled, CUcontext peer, Arguments... arguments) noexcept {
  return followed_by<hook>(
      [&](MemoryCalls& calls) {
        const auto current = driver_function_of<PFN_cuCtxGetCurrent_v4000>("cuCtxGetCurrent");
        CUcontext from = nullptr;
        if (current != nullptr && current(&from) == CUDA_SUCCESS)
          calls.peer_access_changed(from, peer, enabled);
      },
      peer, arguments...);
}

template <Hook hook, class... Arguments>
CUresult create_stream(unsigned flags, CUstream* stream, Arguments... arguments) noexcept {
  return followed_by<hook>(
      [&](MemoryCalls& calls) { calls.stream_created(*stream, flags, nullptr); }, stream,
      arguments...);
}

template <Hook hook>
CUresult destroy_stream(CUstream stream) noexcept {
  return preceded_by<hook>([&](MemoryCalls& calls) { calls.before_stream_destroyed(stream); },
                           stream);
}

template <Hook hook, class... Arguments>
CUresult begin_capture(CUstream stream, Arguments... arguments) noexcept {
  const ProgramCall call;
  const StreamHandle handle = handle_for<hook>(stream);
  if (call.calls() != nullptr) call.calls()->before_capture_begins(handle);
  const CUresult result = call_driver<hook>(stream, arguments...);
  if (call.calls() != nullptr) call.calls()->capture_began(handle, result == CUDA_SUCCESS);
  return result;
}

template <Hook hook>
CUresult end_capture(CUstream stream, CUgraph* graph) noexcept {
  const ProgramCall call;
  const CUresult result = call_driver<hook>(stream, graph);
  if (call.calls() != nullptr) call.calls()->capture_ended(handle_for<hook>(stream));
  return result;
}

}  // namespace

// The driver's names, and as many arguments as it has.
// NOLINTBEGIN(readability-identifier-naming,readability-function-size)
extern "C" {

// clang-format off
VRAMLAB_EXPORT(cuCtxCreate_v2, (CUcontext* context, unsigned flags, CUdevice device),
               create_context<hook>(device, context, flags, device))
VRAMLAB_EXPORT(cuCtxCreate_v3,
               (CUcontext* context, CUexecAffinityParam* parameters, int count, unsigned flags,
                CUdevice device),
               create_context<hook>(device, context, parameters, count, flags, device))
VRAMLAB_EXPORT(cuCtxCreate_v4,
               (CUcontext* context, CUctxCreateParams* parameters, unsigned flags,
                CUdevice device),
               create_context<hook>(device, context, parameters, flags, device))
VRAMLAB_EXPORT_BOTH(cuCtxDestroy, cuCtxDestroy_v2, (CUcontext context),
                    end_context<hook>(named(context), context))
VRAMLAB_EXPORT(cuGreenCtxCreate,
               (CUgreenCtx* green, CUdevResourceDesc resources, CUdevice device, unsigned flags),
               create_green<hook>(green, resources, device, flags))
VRAMLAB_EXPORT(cuGreenCtxDestroy, (CUgreenCtx green),
               destroy_green<hook>(green))
VRAMLAB_EXPORT(cuDevicePrimaryCtxRetain, (CUcontext* context, CUdevice device),
               retain_primary<hook>(context, device))
VRAMLAB_EXPORT_BOTH(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, (CUdevice device),
                    release_primary<hook>(device))
VRAMLAB_EXPORT_BOTH(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2, (CUdevice device),
                    end_context<hook>(primary_about_to_go(device), device))
VRAMLAB_EXPORT(cuCtxEnablePeerAccess, (CUcontext peer, unsigned flags),
               change_peer_access<hook>(true, peer, flags))
VRAMLAB_EXPORT(cuCtxDisablePeerAccess, (CUcontext peer), change_peer_access<hook>(false, peer))

VRAMLAB_EXPORT(cuStreamCreate, (CUstream* stream, unsigned flags),
               create_stream<hook>(flags, stream, flags))
VRAMLAB_EXPORT(cuStreamCreateWithPriority, (CUstream* stream, unsigned flags, int priority),
               create_stream<hook>(flags, stream, flags, priority))
VRAMLAB_EXPORT(cuGreenCtxStreamCreate,
               (CUstream* stream, CUgreenCtx context, unsigned flags, int priority),
               create_green_stream<hook>(stream, context, flags, priority))
VRAMLAB_EXPORT_BOTH(cuStreamDestroy, cuStreamDestroy_v2, (CUstream stream),
                    destroy_stream<hook>(stream))
VRAMLAB_EXPORT_BOTH(cuStreamBeginCapture, cuStreamBeginCapture_ptsz, (CUstream stream),
                    begin_capture<hook>(stream))
VRAMLAB_EXPORT_BOTH(cuStreamBeginCapture_v2, cuStreamBeginCapture_v2_ptsz,
                    (CUstream stream, CUstreamCaptureMode mode),
                    begin_capture<hook>(stream, mode))
VRAMLAB_EXPORT_BOTH(cuStreamBeginCaptureToGraph, cuStreamBeginCaptureToGraph_ptsz,
                    (CUstream stream, CUgraph graph, const CUgraphNode* nodes,
                     const CUgraphEdgeData* edges, std::size_t count, CUstreamCaptureMode mode),
                    begin_capture<hook>(stream, graph, nodes, edges, count, mode))
VRAMLAB_EXPORT_BOTH(cuStreamBeginRecaptureToGraph, cuStreamBeginRecaptureToGraph_ptsz,
                    (CUstream stream, CUstreamCaptureMode mode, CUgraph graph,
                     CUgraphRecaptureCallback callback, void* argument),
                    begin_capture<hook>(stream, mode, graph, callback, argument))
VRAMLAB_EXPORT_BOTH(cuStreamEndCapture, cuStreamEndCapture_ptsz,
                    (CUstream stream, CUgraph* graph), end_capture<hook>(stream, graph))
// clang-format on

}  // extern "C"
// NOLINTEND(readability-identifier-naming,readability-function-size)
