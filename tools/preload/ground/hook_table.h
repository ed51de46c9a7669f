// The table of hooks: the driver's functions that the preload puts its own in place of, and which
// of ours a program gets for a symbol, or for a name, version and stream meaning that it asks
// cuGetProcAddress for. No state, no driver.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "streams/cuda_interface/functions.h"
#include "tools/preload/ground/memory_calls.h"

// Each line is the symbol, its type (streams/cuda_interface/functions.h), and the use. The type's
// name also says what a program asks cuGetProcAddress for, since which version of CUDA, and which
// stream the handle 0 means.
//
// Every version of a name from our oldest one on stands here, so that what a program asks for
// decides which one it gets. Older ones (32-bit addresses) pass through.
// clang-format off
#define VRAMLAB_HOOKS(Hook)                                                                    \
  Hook(cuGetProcAddress, PFN_cuGetProcAddress_v11030, resolver)                                \
  Hook(cuGetProcAddress_v2, PFN_cuGetProcAddress_v12000, resolver)                             \
  /* What the caching allocator answers, or has to know of each pointer. */                    \
  Hook(cuMemAlloc_v2, PFN_cuMemAlloc_v3020, memory)                                            \
  Hook(cuMemFree_v2, PFN_cuMemFree_v3020, memory)                                              \
  Hook(cuMemFreeAsync, PFN_cuMemFreeAsync_v11020, memory)                                      \
  Hook(cuMemFreeAsync_ptsz, PFN_cuMemFreeAsync_v11020_ptsz, memory)                            \
  Hook(cuMemGetInfo_v2, PFN_cuMemGetInfo_v3020, memory)                                        \
  Hook(cuIpcGetMemHandle, PFN_cuIpcGetMemHandle_v4010, memory)                                 \
  Hook(cuMemGetHandleForAddressRange, PFN_cuMemGetHandleForAddressRange_v11070, memory)        \
  Hook(cuPointerSetAttribute, PFN_cuPointerSetAttribute_v6000, memory)                         \
  /* Streams and captures. */                                                                  \
  Hook(cuStreamCreate, PFN_cuStreamCreate_v2000, streams)                                      \
  Hook(cuStreamCreateWithPriority, PFN_cuStreamCreateWithPriority_v5050, streams)              \
  Hook(cuStreamDestroy, PFN_cuStreamDestroy_v2000, streams)                                    \
  Hook(cuStreamDestroy_v2, PFN_cuStreamDestroy_v4000, streams)                                 \
  Hook(cuStreamBeginCapture, PFN_cuStreamBeginCapture_v10000, streams)                         \
  Hook(cuStreamBeginCapture_ptsz, PFN_cuStreamBeginCapture_v10000_ptsz, streams)               \
  Hook(cuStreamBeginCapture_v2, PFN_cuStreamBeginCapture_v10010, streams)                      \
  Hook(cuStreamBeginCapture_v2_ptsz, PFN_cuStreamBeginCapture_v10010_ptsz, streams)            \
  Hook(cuStreamEndCapture, PFN_cuStreamEndCapture_v10000, streams)                             \
  Hook(cuStreamEndCapture_ptsz, PFN_cuStreamEndCapture_v10000_ptsz, streams)                   \
  Hook(cuStreamBeginCaptureToGraph, PFN_cuStreamBeginCaptureToGraph_v12030, streams)           \
  Hook(cuStreamBeginCaptureToGraph_ptsz, PFN_cuStreamBeginCaptureToGraph_v12030_ptsz, streams) \
  Hook(cuGreenCtxStreamCreate, PFN_cuGreenCtxStreamCreate_v12050, streams)                     \
  /* Contexts. */                                                                              \
  Hook(cuCtxDestroy, PFN_cuCtxDestroy_v2000, contexts)                                         \
  Hook(cuCtxDestroy_v2, PFN_cuCtxDestroy_v4000, contexts)                                      \
  Hook(cuGreenCtxDestroy, PFN_cuGreenCtxDestroy_v12040, contexts)                              \
  Hook(cuDevicePrimaryCtxRetain, PFN_cuDevicePrimaryCtxRetain_v7000, contexts)                 \
  Hook(cuDevicePrimaryCtxRelease, PFN_cuDevicePrimaryCtxRelease_v7000, contexts)               \
  Hook(cuDevicePrimaryCtxRelease_v2, PFN_cuDevicePrimaryCtxRelease_v11000, contexts)           \
  Hook(cuDevicePrimaryCtxReset, PFN_cuDevicePrimaryCtxReset_v7000, contexts)                   \
  Hook(cuDevicePrimaryCtxReset_v2, PFN_cuDevicePrimaryCtxReset_v11000, contexts)               \
  Hook(cuCtxEnablePeerAccess, PFN_cuCtxEnablePeerAccess_v4000, contexts)                       \
  Hook(cuCtxDisablePeerAccess, PFN_cuCtxDisablePeerAccess_v4000, contexts)                     \
  /* Memory that passes through, for the recorder alone. */                                    \
  Hook(cuMemAllocPitch_v2, PFN_cuMemAllocPitch_v3020, recorded)                                \
  Hook(cuMemAllocManaged, PFN_cuMemAllocManaged_v6000, recorded)                               \
  Hook(cuMemAllocAsync, PFN_cuMemAllocAsync_v11020, recorded)                                  \
  Hook(cuMemAllocAsync_ptsz, PFN_cuMemAllocAsync_v11020_ptsz, recorded)                        \
  Hook(cuMemAllocFromPoolAsync, PFN_cuMemAllocFromPoolAsync_v11020, recorded)                  \
  Hook(cuMemAllocFromPoolAsync_ptsz, PFN_cuMemAllocFromPoolAsync_v11020_ptsz, recorded)        \
  Hook(cuMemHostAlloc, PFN_cuMemHostAlloc_v2020, recorded)                                     \
  Hook(cuMemAllocHost_v2, PFN_cuMemAllocHost_v3020, recorded)                                  \
  Hook(cuMemFreeHost, PFN_cuMemFreeHost_v2000, recorded)                                       \
  Hook(cuMemHostRegister_v2, PFN_cuMemHostRegister_v6050, recorded)                            \
  Hook(cuMemHostUnregister, PFN_cuMemHostUnregister_v4000, recorded)                           \
  Hook(cuArrayCreate_v2, PFN_cuArrayCreate_v3020, recorded)                                    \
  Hook(cuArray3DCreate_v2, PFN_cuArray3DCreate_v3020, recorded)                                \
  Hook(cuArrayDestroy, PFN_cuArrayDestroy_v2000, recorded)                                     \
  Hook(cuMipmappedArrayCreate, PFN_cuMipmappedArrayCreate_v5000, recorded)                     \
  Hook(cuMipmappedArrayDestroy, PFN_cuMipmappedArrayDestroy_v5000, recorded)                   \
  Hook(cuMemCreate, PFN_cuMemCreate_v10020, recorded)                                          \
  Hook(cuMemRelease, PFN_cuMemRelease_v10020, recorded)                                        \
  Hook(cuMemMap, PFN_cuMemMap_v10020, recorded)                                                \
  Hook(cuMemUnmap, PFN_cuMemUnmap_v10020, recorded)                                            \
  Hook(cuGraphAddMemAllocNode, PFN_cuGraphAddMemAllocNode_v11040, recorded)                    \
  Hook(cuGraphAddMemFreeNode, PFN_cuGraphAddMemFreeNode_v11040, recorded)                      \
  Hook(cuIpcOpenMemHandle, PFN_cuIpcOpenMemHandle_v4010, recorded)                             \
  Hook(cuIpcOpenMemHandle_v2, PFN_cuIpcOpenMemHandle_v11000, recorded)                         \
  Hook(cuIpcCloseMemHandle, PFN_cuIpcCloseMemHandle_v4010, recorded)
// clang-format on

namespace vramlab::preload {

/// By symbol.
enum class Hook : std::uint8_t {
#define VRAMLAB_HOOK_NAME(symbol, type, use) symbol,
  VRAMLAB_HOOKS(VRAMLAB_HOOK_NAME)
#undef VRAMLAB_HOOK_NAME
};

// NOLINTNEXTLINE(bugprone-macro-parentheses): it is a part of a sum.
#define VRAMLAB_COUNT_HOOK(symbol, type, use) +1
inline constexpr std::size_t hook_count = VRAMLAB_HOOKS(VRAMLAB_COUNT_HOOK);
#undef VRAMLAB_COUNT_HOOK

enum class HookUse : std::uint8_t {
  resolver,
  memory,
  streams,
  contexts,
  /// Told to the recorder and to nobody else: left alone while nothing is recorded.
  recorded,
};

struct HookRow {
  Hook hook;
  std::string_view symbol;
  /// What cuGetProcAddress is asked for, and since which version this function is the answer.
  std::string_view name;
  int since;
  DefaultStream if_null;
  HookUse use;
};

/// In the order of the enum.
std::span<const HookRow> hook_rows();
inline const HookRow& row_of(Hook hook) { return hook_rows()[static_cast<std::size_t>(hook)]; }

std::optional<Hook> hook_of_symbol(std::string_view symbol);

struct DriverQuery {
  std::string_view name;
  int version = 0;
  DefaultStream if_null = DefaultStream::legacy;
};
/// Functions without a stream are the same for both meanings of stream 0.
std::optional<Hook> hook_of_query(const DriverQuery& query);

/// `cu` and a capital letter: none of cublas, cudnn, curl.
bool is_driver_name(const char* symbol);

/// The type of the driver's function.
template <Hook hook>
struct HookType;
#define VRAMLAB_HOOK_TYPE(symbol, type, use) \
  template <>                                \
  struct HookType<Hook::symbol> {            \
    using Function = type;                   \
  };
VRAMLAB_HOOKS(VRAMLAB_HOOK_TYPE)
#undef VRAMLAB_HOOK_TYPE

}  // namespace vramlab::preload
