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
  Hook(cuStreamBeginRecaptureToGraph, PFN_cuStreamBeginRecaptureToGraph_v13030, streams)       \
  Hook(cuStreamBeginRecaptureToGraph_ptsz,                                                     \
       PFN_cuStreamBeginRecaptureToGraph_v13030_ptsz, streams)                                 \
  Hook(cuGreenCtxStreamCreate, PFN_cuGreenCtxStreamCreate_v12050, streams)                     \
  /* Contexts. */                                                                              \
  Hook(cuCtxCreate_v2, PFN_cuCtxCreate_v3020, contexts)                                        \
  Hook(cuCtxCreate_v3, PFN_cuCtxCreate_v11040, contexts)                                       \
  Hook(cuCtxCreate_v4, PFN_cuCtxCreate_v12050, contexts)                                       \
  Hook(cuCtxDestroy, PFN_cuCtxDestroy_v2000, contexts)                                         \
  Hook(cuCtxDestroy_v2, PFN_cuCtxDestroy_v4000, contexts)                                      \
  Hook(cuGreenCtxCreate, PFN_cuGreenCtxCreate_v12040, contexts)                                \
  Hook(cuGreenCtxDestroy, PFN_cuGreenCtxDestroy_v12040, contexts)                              \
  Hook(cuDevicePrimaryCtxRetain, PFN_cuDevicePrimaryCtxRetain_v7000, contexts)                 \
  Hook(cuDevicePrimaryCtxRelease, PFN_cuDevicePrimaryCtxRelease_v7000, contexts)               \
  Hook(cuDevicePrimaryCtxRelease_v2, PFN_cuDevicePrimaryCtxRelease_v11000, contexts)           \
  Hook(cuDevicePrimaryCtxReset, PFN_cuDevicePrimaryCtxReset_v7000, contexts)                   \
  Hook(cuDevicePrimaryCtxReset_v2, PFN_cuDevicePrimaryCtxReset_v11000, contexts)               \
  Hook(cuCtxEnablePeerAccess, PFN_cuCtxEnablePeerAccess_v4000, contexts)                       \
  Hook(cuCtxDisablePeerAccess, PFN_cuCtxDisablePeerAccess_v4000, contexts)                     \
  /* What may need memory of the device besides. */                                            \
  Hook(cuModuleLoad, PFN_cuModuleLoad_v2000, room)                                             \
  Hook(cuModuleLoadData, PFN_cuModuleLoadData_v2000, room)                                     \
  Hook(cuModuleLoadDataEx, PFN_cuModuleLoadDataEx_v2010, room)                                 \
  Hook(cuModuleLoadFatBinary, PFN_cuModuleLoadFatBinary_v2000, room)                           \
  Hook(cuModuleGetFunction, PFN_cuModuleGetFunction_v2000, room)                               \
  Hook(cuLibraryLoadData, PFN_cuLibraryLoadData_v12000, room)                                  \
  Hook(cuLibraryLoadFromFile, PFN_cuLibraryLoadFromFile_v12000, room)                          \
  Hook(cuLibraryGetModule, PFN_cuLibraryGetModule_v12000, room)                                \
  Hook(cuKernelGetFunction, PFN_cuKernelGetFunction_v12000, room)                              \
  Hook(cuGraphInstantiate, PFN_cuGraphInstantiate_v10000, room)                                \
  Hook(cuGraphInstantiate_v2, PFN_cuGraphInstantiate_v11000, room)                             \
  Hook(cuGraphInstantiateWithFlags, PFN_cuGraphInstantiateWithFlags_v11040, room)              \
  Hook(cuGraphInstantiateWithParams, PFN_cuGraphInstantiateWithParams_v12000, room)            \
  Hook(cuGraphInstantiateWithParams_ptsz, PFN_cuGraphInstantiateWithParams_v12000_ptsz, room)  \
  Hook(cuGraphUpload, PFN_cuGraphUpload_v11010, room)                                          \
  Hook(cuGraphUpload_ptsz, PFN_cuGraphUpload_v11010_ptsz, room)                                \
  Hook(cuGraphLaunch, PFN_cuGraphLaunch_v10000, room)                                          \
  Hook(cuGraphLaunch_ptsz, PFN_cuGraphLaunch_v10000_ptsz, room)                                \
  Hook(cuLaunchKernel, PFN_cuLaunchKernel_v4000, room)                                         \
  Hook(cuLaunchKernel_ptsz, PFN_cuLaunchKernel_v7000_ptsz, room)                               \
  Hook(cuLaunchKernelEx, PFN_cuLaunchKernelEx_v11060, room)                                    \
  Hook(cuLaunchKernelEx_ptsz, PFN_cuLaunchKernelEx_v11060_ptsz, room)                          \
  Hook(cuLaunchCooperativeKernel, PFN_cuLaunchCooperativeKernel_v9000, room)                   \
  Hook(cuLaunchCooperativeKernel_ptsz, PFN_cuLaunchCooperativeKernel_v9000_ptsz, room)         \
  /* Memory that passes through. */                                                            \
  Hook(cuMemAllocPitch_v2, PFN_cuMemAllocPitch_v3020, taking)                                  \
  Hook(cuMemAllocManaged, PFN_cuMemAllocManaged_v6000, taking)                                 \
  Hook(cuMemAllocAsync, PFN_cuMemAllocAsync_v11020, taking)                                    \
  Hook(cuMemAllocAsync_ptsz, PFN_cuMemAllocAsync_v11020_ptsz, taking)                          \
  Hook(cuMemAllocFromPoolAsync, PFN_cuMemAllocFromPoolAsync_v11020, taking)                    \
  Hook(cuMemAllocFromPoolAsync_ptsz, PFN_cuMemAllocFromPoolAsync_v11020_ptsz, taking)          \
  Hook(cuMemHostAlloc, PFN_cuMemHostAlloc_v2020, recorded)                                     \
  Hook(cuMemAllocHost_v2, PFN_cuMemAllocHost_v3020, recorded)                                  \
  Hook(cuMemFreeHost, PFN_cuMemFreeHost_v2000, recorded)                                       \
  Hook(cuMemHostRegister_v2, PFN_cuMemHostRegister_v6050, recorded)                            \
  Hook(cuMemHostUnregister, PFN_cuMemHostUnregister_v4000, recorded)                           \
  Hook(cuArrayCreate_v2, PFN_cuArrayCreate_v3020, taking)                                      \
  Hook(cuArray3DCreate_v2, PFN_cuArray3DCreate_v3020, taking)                                  \
  Hook(cuArrayDestroy, PFN_cuArrayDestroy_v2000, recorded)                                     \
  Hook(cuMipmappedArrayCreate, PFN_cuMipmappedArrayCreate_v5000, taking)                       \
  Hook(cuMipmappedArrayDestroy, PFN_cuMipmappedArrayDestroy_v5000, recorded)                   \
  Hook(cuMemCreate, PFN_cuMemCreate_v10020, taking)                                            \
  Hook(cuMemRelease, PFN_cuMemRelease_v10020, recorded)                                        \
  Hook(cuMemRetainAllocationHandle, PFN_cuMemRetainAllocationHandle_v11000, recorded)          \
  Hook(cuMemImportFromShareableHandle, PFN_cuMemImportFromShareableHandle_v10020, recorded)    \
  Hook(cuMemMap, PFN_cuMemMap_v10020, recorded)                                                \
  Hook(cuMemUnmap, PFN_cuMemUnmap_v10020, recorded)                                            \
  Hook(cuGraphAddMemAllocNode, PFN_cuGraphAddMemAllocNode_v11040, recorded)                    \
  Hook(cuGraphAddMemFreeNode, PFN_cuGraphAddMemFreeNode_v11040, recorded)                      \
  Hook(cuGraphAddNode, PFN_cuGraphAddNode_v12020, recorded)                                    \
  Hook(cuGraphAddNode_v2, PFN_cuGraphAddNode_v12030, recorded)                                 \
  Hook(cuGraphAddNode_v3, PFN_cuGraphAddNode_v13040, recorded)                                 \
  Hook(cuMulticastCreate, PFN_cuMulticastCreate_v12010, recorded)                              \
  Hook(cuMemPoolImportPointer, PFN_cuMemPoolImportPointer_v11020, recorded)                    \
  Hook(cuImportExternalMemory, PFN_cuImportExternalMemory_v10000, recorded)                    \
  Hook(cuExternalMemoryGetMappedBuffer, PFN_cuExternalMemoryGetMappedBuffer_v10000, recorded)  \
  Hook(cuDestroyExternalMemory, PFN_cuDestroyExternalMemory_v10000, recorded)                  \
  Hook(cuIpcOpenMemHandle, PFN_cuIpcOpenMemHandle_v4010, recorded)                             \
  Hook(cuIpcOpenMemHandle_v2, PFN_cuIpcOpenMemHandle_v11000, recorded)                         \
  Hook(cuIpcCloseMemHandle, PFN_cuIpcCloseMemHandle_v4010, recorded)
// clang-format on

// The callback is passed on, whatever it is.
// NOLINTBEGIN(readability-identifier-naming): CUDA's names.
using PFN_cuStreamBeginRecaptureToGraph_v13030 = CUresult (*)(CUstream stream,
                                                              CUstreamCaptureMode mode,
                                                              CUgraph graph, void* callback,
                                                              void* argument);
using PFN_cuStreamBeginRecaptureToGraph_v13030_ptsz = PFN_cuStreamBeginRecaptureToGraph_v13030;
// NOLINTEND(readability-identifier-naming)

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
  /// Takes memory of the device, and is told to the recorder.
  taking,
  /// May be refused memory, and is asked again: left alone in recordings.
  room,
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
