// The exports that tell when contexts are gone and who may use whose memory.
#include <array>
#include <atomic>

#include "tools/preload/exports/exports.h"
#include "tools/preload/exports/front.h"

using namespace vramlab::preload;

namespace {

/// Devices whose primary context is remembered. More than a machine has.
constexpr int most_devices = 256;
/// As the program was given it. The driver has no question for a context that is gone.
std::array<std::atomic<CUcontext>, most_devices> primary_contexts;

bool is_known(CUdevice device) { return device >= 0 && device < most_devices; }

template <class Function>
Function found_in_driver(const char* symbol) {
  return reinterpret_cast<Function>(driver_symbol(symbol));
}

/// Requires: it is still there.
GoneContext about_to_go(CUcontext context) {
  GoneContext going{context};
  const auto id_of = found_in_driver<CUresult (*)(CUcontext, unsigned long long*)>("cuCtxGetId");
  if (context == nullptr || id_of == nullptr || id_of(context, &going.id) != CUDA_SUCCESS)
    going.id = 0;
  return going;
}

bool is_active(CUdevice device) {
  const auto state =
      found_in_driver<PFN_cuDevicePrimaryCtxGetState_v7000>("cuDevicePrimaryCtxGetState");
  unsigned flags = 0;
  int active = 0;
  // If the driver can't say, the context counts as active.
  return state == nullptr || state(device, &flags, &active) != CUDA_SUCCESS || active != 0;
}

GoneContext primary_about_to_go(CUdevice device) {
  if (!is_known(device)) return {};
  return about_to_go(primary_contexts[static_cast<std::size_t>(device)].load());
}

void tell_gone(MemoryCalls& calls, const GoneContext& context) {
  if (context.handle != nullptr) calls.context_gone(context);
}

template <Hook hook>
CUresult release_primary(CUdevice device) noexcept {
  const GoneContext primary = primary_about_to_go(device);
  return followed_by<hook>(
      [&](MemoryCalls& calls) {
        if (!is_active(device)) tell_gone(calls, primary);
      },
      device);
}

template <Hook hook>
CUresult reset_primary(CUdevice device) noexcept {
  const GoneContext primary = primary_about_to_go(device);
  return followed_by<hook>([&](MemoryCalls& calls) { tell_gone(calls, primary); }, device);
}

template <Hook hook>
CUresult destroy_context(CUcontext context) noexcept {
  const GoneContext going = about_to_go(context);
  return followed_by<hook>([&](MemoryCalls& calls) { tell_gone(calls, going); }, context);
}

void tell_peer_access(MemoryCalls& calls, CUcontext peer, bool enabled) {
  const auto current = found_in_driver<PFN_cuCtxGetCurrent_v4000>("cuCtxGetCurrent");
  CUcontext from = nullptr;
  if (current != nullptr && current(&from) == CUDA_SUCCESS)
    calls.peer_access_changed(from, peer, enabled);
}

}  // namespace

// The driver's names.
// NOLINTBEGIN(readability-identifier-naming)
extern "C" {

CUresult cuCtxDestroy(CUcontext context) { return destroy_context<Hook::cuCtxDestroy>(context); }

CUresult cuCtxDestroy_v2(CUcontext context) {
  return destroy_context<Hook::cuCtxDestroy_v2>(context);
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  return followed_by<Hook::cuDevicePrimaryCtxRetain>(
      [&](MemoryCalls& /*calls*/) {
        if (is_known(device)) primary_contexts[static_cast<std::size_t>(device)].store(*context);
      },
      context, device);
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  return release_primary<Hook::cuDevicePrimaryCtxRelease>(device);
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return release_primary<Hook::cuDevicePrimaryCtxRelease_v2>(device);
}

CUresult cuDevicePrimaryCtxReset(CUdevice device) {
  return reset_primary<Hook::cuDevicePrimaryCtxReset>(device);
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
  return reset_primary<Hook::cuDevicePrimaryCtxReset_v2>(device);
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  return followed_by<Hook::cuCtxEnablePeerAccess>(
      [&](MemoryCalls& calls) { tell_peer_access(calls, peer, true); }, peer, flags);
}

CUresult cuCtxDisablePeerAccess(CUcontext peer) {
  return followed_by<Hook::cuCtxDisablePeerAccess>(
      [&](MemoryCalls& calls) { tell_peer_access(calls, peer, false); }, peer);
}

CUresult cuGreenCtxDestroy(CUgreenCtx green) {
  const auto context_of = found_in_driver<PFN_cuCtxFromGreenCtx_v12040>("cuCtxFromGreenCtx");
  CUcontext context = nullptr;
  if (context_of != nullptr && context_of(&context, green) != CUDA_SUCCESS) context = nullptr;
  const GoneContext going = about_to_go(context);
  return followed_by<Hook::cuGreenCtxDestroy>([&](MemoryCalls& calls) { tell_gone(calls, going); },
                                              green);
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
