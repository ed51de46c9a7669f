// The functions that the library exports, under the names of CUDA's driver and two of the C
// library's. First those about memory: some are answered by the implementation, of others only the
// recorder hears. While nothing is recorded, programs that ask for the latter by name get the
// driver's own.
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

#include "tools/preload/exports/front.h"

using namespace vramlab::preload;

namespace {

template <class Handle>
std::uint64_t number_of(Handle* handle) {
  return reinterpret_cast<std::uintptr_t>(handle);
}
std::uint64_t number_of(CUdeviceptr address) { return address; }

template <Hook hook>
CUresult free_async(CUdeviceptr at, CUstream stream) noexcept {
  const ProgramCall call;
  if (MemoryCalls* const calls = call.calls())
    return calls->mem_free_async(at, handle_for<hook>(stream));
  return call_driver<hook>(at, stream);
}

/// The device that a call takes memory of.
template <Hook hook>
CUdevice device_of(const NewMemory& memory) {
  // The call does not tell the device of its pool.
  if (hook == Hook::cuMemAllocFromPoolAsync || hook == Hook::cuMemAllocFromPoolAsync_ptsz)
    return any_device;
  return memory.device >= 0 ? memory.device : current_device;
}

/// `at` is used only where the driver's call succeeded: outputs may be null.
template <Hook hook, class At, class... Arguments>
CUresult allocate(NewMemory memory, At* at, Arguments... arguments) noexcept {
  const ProgramCall call;
  memory.function = row_of(hook).symbol.data();
  const CUresult result =
      call_with_room<hook>(device_of<hook>(memory), call.calls(), at, arguments...);
  if (call.calls() == nullptr) return result;
  if (result == CUDA_SUCCESS) {
    memory.at = number_of(*at);
    call.calls()->memory_came(memory);
  } else {
    call.calls()->memory_refused(memory.function, memory.bytes, result);
  }
  return result;
}

template <Hook hook, class... Arguments>
CUresult release(std::uint64_t at, Arguments... arguments) noexcept {
  return preceded_by<hook>(
      [&](MemoryCalls& calls) { calls.before_memory_goes(row_of(hook).symbol.data(), at); },
      arguments...);
}

/// Its size is known when the driver has said how long a row is.
template <Hook hook>
CUresult allocate_pitched(CUdeviceptr* at, std::size_t* pitch, std::size_t width,
                          std::size_t height, unsigned element_bytes) noexcept {
  const ProgramCall call;
  const char* const function = row_of(hook).symbol.data();
  const CUresult result =
      call_with_room<hook>(current_device, call.calls(), at, pitch, width, height, element_bytes);
  if (call.calls() == nullptr) return result;
  if (result == CUDA_SUCCESS)
    call.calls()->memory_came({.function = function, .at = *at, .bytes = *pitch * height});
  else
    call.calls()->memory_refused(function, width * height, result);
  return result;
}

/// `describe` is called only where the driver's call succeeded.
template <Hook hook, class Describe, class... Arguments>
CUresult add(const Describe& describe, Arguments... arguments) noexcept {
  return followed_by<hook>(
      [&](MemoryCalls& calls) {
        NewMemory memory = describe();
        memory.function = row_of(hook).symbol.data();
        calls.memory_came(memory);
      },
      arguments...);
}

/// The parameters of a graph's node lie in the same place for all kinds of nodes.
template <Hook hook, class... Before>
CUresult add_node(CUgraphNodeParams* what, CUgraphNode* node, CUgraph graph,
                  Before... before) noexcept {
  const ProgramCall call;
  const char* const function = row_of(hook).symbol.data();
  const bool is_told = call.calls() != nullptr && what != nullptr;
  CUdeviceptr freed = 0;
  if (is_told && what->type == CU_GRAPH_NODE_TYPE_MEM_FREE) {
    std::memcpy(&freed, what->reserved1, sizeof freed);
    call.calls()->before_memory_goes(function, freed);
  }
  const CUresult result = call_driver<hook>(node, graph, before..., what);
  if (!is_told || result != CUDA_SUCCESS || what->type != CU_GRAPH_NODE_TYPE_MEM_ALLOC)
    return result;
  CUDA_MEM_ALLOC_NODE_PARAMS made{};
  static_assert(sizeof made <= sizeof what->reserved1);
  std::memcpy(&made, what->reserved1, sizeof made);
  call.calls()->memory_came(
      {.kind = MemoryKind::graph, .function = function, .at = made.dptr, .bytes = made.bytesize});
  return result;
}

template <class Wish>
std::size_t size_of(const Wish* wish) {
  return wish == nullptr ? 0 : wish->size;
}

NewMemory of_kind(MemoryKind kind, std::size_t bytes) { return {.kind = kind, .bytes = bytes}; }

template <Hook hook>
NewMemory stream_ordered(std::size_t bytes, CUstream stream) {
  return {.kind = MemoryKind::stream_ordered, .bytes = bytes, .stream = handle_for<hook>(stream)};
}

std::size_t bytes_of(CUarray_format format) {
  switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
      return 2;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT:
      return 4;
    default:
      // 8 bits; also compressed and planar ones, whose cells are no whole number of bytes.
      return 1;
  }
}

std::size_t depth_of(const CUDA_ARRAY_DESCRIPTOR& /*what*/) { return 1; }
std::size_t depth_of(const CUDA_ARRAY3D_DESCRIPTOR& what) { return what.Depth; }

/// The bytes of the cells; the driver's layout may need more.
template <class Descriptor>
NewMemory array_of(const Descriptor* what) {
  if (what == nullptr) return of_kind(MemoryKind::array, 0);
  const std::size_t cells = std::max<std::size_t>(what->Width, 1) *
                            std::max<std::size_t>(what->Height, 1) *
                            std::max<std::size_t>(depth_of(*what), 1);
  return of_kind(MemoryKind::array, cells * what->NumChannels * bytes_of(what->Format));
}

NewMemory physical_of(std::size_t bytes, const CUmemAllocationProp* properties) {
  const bool on_device =
      properties != nullptr && properties->location.type == CU_MEM_LOCATION_TYPE_DEVICE;
  NewMemory memory = of_kind(on_device ? MemoryKind::physical : MemoryKind::host, bytes);
  if (on_device) memory.device = properties->location.id;
  return memory;
}

}  // namespace

// The driver's names.
// NOLINTBEGIN(readability-identifier-naming)
extern "C" {

// clang-format off
VRAMLAB_EXPORT(cuMemAlloc_v2, (CUdeviceptr* at, std::size_t bytes),
               instead_of<hook, &MemoryCalls::mem_alloc>(at, bytes))
VRAMLAB_EXPORT(cuMemFree_v2, (CUdeviceptr at), instead_of<hook, &MemoryCalls::mem_free>(at))
VRAMLAB_EXPORT_BOTH(cuMemFreeAsync, cuMemFreeAsync_ptsz, (CUdeviceptr at, CUstream stream),
                    free_async<hook>(at, stream))
VRAMLAB_EXPORT(cuMemGetInfo_v2, (std::size_t* free, std::size_t* total),
               instead_of<hook, &MemoryCalls::mem_get_info>(free, total))
VRAMLAB_EXPORT(cuMemGetAddressRange_v2, (CUdeviceptr* base, std::size_t* bytes, CUdeviceptr at),
               instead_of<hook, &MemoryCalls::mem_get_address_range>(base, bytes, at))
VRAMLAB_EXPORT(cuPointerGetAttribute, (void* into, CUpointer_attribute attribute, CUdeviceptr at),
               instead_of<hook, &MemoryCalls::pointer_get_attribute>(into, attribute, at))
VRAMLAB_EXPORT(cuPointerGetAttributes,
               (unsigned count, CUpointer_attribute* attributes, void** into, CUdeviceptr at),
               instead_of<hook, &MemoryCalls::pointer_get_attributes>(count, attributes, into, at))
VRAMLAB_EXPORT(cuIpcGetMemHandle, (CUipcMemHandle* handle, CUdeviceptr at),
               instead_of<hook, &MemoryCalls::ipc_get_mem_handle>(handle, at))
VRAMLAB_EXPORT(cuMemGetHandleForAddressRange,
               (void* handle, CUdeviceptr at, std::size_t bytes, CUmemRangeHandleType type,
                unsigned long long flags),
               instead_of<hook, &MemoryCalls::handle_for_address_range>(handle, at, bytes, type,
                                                                        flags))
VRAMLAB_EXPORT(cuPointerSetAttribute,
               (const void* value, CUpointer_attribute attribute, CUdeviceptr at),
               instead_of<hook, &MemoryCalls::pointer_set_attribute>(value, attribute, at))

// Functions that only the recorder hears of.
VRAMLAB_EXPORT(cuMemAllocPitch_v2,
               (CUdeviceptr* at, std::size_t* pitch, std::size_t width, std::size_t height,
                unsigned element_bytes),
               allocate_pitched<hook>(at, pitch, width, height, element_bytes))
VRAMLAB_EXPORT(cuMemAllocManaged, (CUdeviceptr* at, std::size_t bytes, unsigned flags),
               allocate<hook>(of_kind(MemoryKind::managed, bytes), at, bytes, flags))
VRAMLAB_EXPORT_BOTH(cuMemAllocAsync, cuMemAllocAsync_ptsz,
                    (CUdeviceptr* at, std::size_t bytes, CUstream stream),
                    allocate<hook>(stream_ordered<hook>(bytes, stream), at, bytes, stream))
VRAMLAB_EXPORT_BOTH(cuMemAllocFromPoolAsync, cuMemAllocFromPoolAsync_ptsz,
                    (CUdeviceptr* at, std::size_t bytes, CUmemoryPool pool, CUstream stream),
                    allocate<hook>(stream_ordered<hook>(bytes, stream), at, bytes, pool, stream))
VRAMLAB_EXPORT(cuMemHostAlloc, (void** at, std::size_t bytes, unsigned flags),
               allocate<hook>(of_kind(MemoryKind::host, bytes), at, bytes, flags))
VRAMLAB_EXPORT(cuMemAllocHost_v2, (void** at, std::size_t bytes),
               allocate<hook>(of_kind(MemoryKind::host, bytes), at, bytes))
VRAMLAB_EXPORT(cuMemFreeHost, (void* at), release<hook>(number_of(at), at))
VRAMLAB_EXPORT(cuMemHostRegister_v2, (void* at, std::size_t bytes, unsigned flags),
               add<hook>([&] { return NewMemory{.kind = MemoryKind::registered_host,
                                                .at = number_of(at), .bytes = bytes}; },
                         at, bytes, flags))
VRAMLAB_EXPORT(cuMemHostUnregister, (void* at), release<hook>(number_of(at), at))
VRAMLAB_EXPORT(cuArrayCreate_v2, (CUarray* array, const CUDA_ARRAY_DESCRIPTOR* what),
               allocate<hook>(array_of(what), array, what))
VRAMLAB_EXPORT(cuArray3DCreate_v2, (CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* what),
               allocate<hook>(array_of(what), array, what))
VRAMLAB_EXPORT(cuArrayDestroy, (CUarray array), release<hook>(number_of(array), array))
VRAMLAB_EXPORT(cuMipmappedArrayCreate,
               (CUmipmappedArray* array, const CUDA_ARRAY3D_DESCRIPTOR* what, unsigned levels),
               allocate<hook>(array_of(what), array, what, levels))
VRAMLAB_EXPORT(cuMipmappedArrayDestroy, (CUmipmappedArray array),
               release<hook>(number_of(array), array))
VRAMLAB_EXPORT(cuMemCreate,
               (CUmemGenericAllocationHandle* handle, std::size_t bytes,
                const CUmemAllocationProp* properties, unsigned long long flags),
               allocate<hook>(physical_of(bytes, properties), handle, bytes, properties, flags))
VRAMLAB_EXPORT(cuMemRelease, (CUmemGenericAllocationHandle handle), release<hook>(handle, handle))
VRAMLAB_EXPORT(cuMemRetainAllocationHandle, (CUmemGenericAllocationHandle* handle, void* address),
               followed_by<hook>(
                   [&](MemoryCalls& calls) { calls.memory_retained(number_of(address), *handle); },
                   handle, address))
VRAMLAB_EXPORT(cuMemImportFromShareableHandle,
               (CUmemGenericAllocationHandle* handle, void* from, CUmemAllocationHandleType type),
               allocate<hook>(of_kind(MemoryKind::foreign_handle, 0), handle, from, type))
VRAMLAB_EXPORT(cuMemMap,
               (CUdeviceptr at, std::size_t bytes, std::size_t offset,
                CUmemGenericAllocationHandle handle, unsigned long long flags),
               followed_by<hook>(
                   [&](MemoryCalls& calls) { calls.memory_mapped(at, bytes, handle); },
                   at, bytes, offset, handle, flags))
VRAMLAB_EXPORT(cuMemUnmap, (CUdeviceptr at, std::size_t bytes),
               followed_by<hook>([&](MemoryCalls& calls) { calls.memory_unmapped(at, bytes); },
                                 at, bytes))
VRAMLAB_EXPORT(cuGraphAddMemAllocNode,
               (CUgraphNode* node, CUgraph graph, const CUgraphNode* before, std::size_t count,
                CUDA_MEM_ALLOC_NODE_PARAMS* what),
               add<hook>([&] { return NewMemory{.kind = MemoryKind::graph, .at = what->dptr,
                                                .bytes = what->bytesize}; },
                         node, graph, before, count, what))
VRAMLAB_EXPORT(cuGraphAddMemFreeNode,
               (CUgraphNode* node, CUgraph graph, const CUgraphNode* before, std::size_t count,
                CUdeviceptr at),
               release<hook>(at, node, graph, before, count, at))
VRAMLAB_EXPORT(cuGraphAddNode,
               (CUgraphNode* node, CUgraph graph, const CUgraphNode* before, std::size_t count,
                CUgraphNodeParams* what),
               add_node<hook>(what, node, graph, before, count))
VRAMLAB_EXPORT_BOTH(cuGraphAddNode_v2, cuGraphAddNode_v3,
                    (CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                     const CUgraphEdgeData* edges, std::size_t count, CUgraphNodeParams* what),
                    add_node<hook>(what, node, graph, before, edges, count))
VRAMLAB_EXPORT(cuMulticastCreate,
               (CUmemGenericAllocationHandle* handle, const CUmulticastObjectProp* wish),
               allocate<hook>(of_kind(MemoryKind::foreign_handle, size_of(wish)), handle, wish))
VRAMLAB_EXPORT(cuMemPoolImportPointer,
               (CUdeviceptr* at, CUmemoryPool pool, CUmemPoolPtrExportData* data),
               allocate<hook>(of_kind(MemoryKind::imported, 0), at, pool, data))
VRAMLAB_EXPORT(cuImportExternalMemory,
               (CUexternalMemory* memory, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC* what),
               allocate<hook>(of_kind(MemoryKind::imported, 0), memory, what))
VRAMLAB_EXPORT(cuExternalMemoryGetMappedBuffer,
               (CUdeviceptr* at, CUexternalMemory memory,
                const CUDA_EXTERNAL_MEMORY_BUFFER_DESC* what),
               allocate<hook>(of_kind(MemoryKind::imported, size_of(what)), at, memory, what))
VRAMLAB_EXPORT(cuDestroyExternalMemory, (CUexternalMemory memory),
               release<hook>(number_of(memory), memory))
VRAMLAB_EXPORT_BOTH(cuIpcOpenMemHandle, cuIpcOpenMemHandle_v2,
                    (CUdeviceptr* at, CUipcMemHandle handle, unsigned flags),
                    allocate<hook>(of_kind(MemoryKind::imported, 0), at, handle, flags))
VRAMLAB_EXPORT(cuIpcCloseMemHandle, (CUdeviceptr at), release<hook>(at, at))
// clang-format on

}  // extern "C"
// NOLINTEND(readability-identifier-naming)

// Exports that tell of contexts, streams and captures, and leave the work to the driver.

namespace {

/// Devices whose primary context is remembered. More than a machine has.
constexpr int most_devices = 256;
/// The handles that the program was given. The driver answers no question about a context that is
/// gone.
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

/// Other threads may get its addresses before this one can tell that it is gone.
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
  return end_context_if<hook>(going, [] { return true; }, arguments...);
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
  return followed_on_device<hook>(device, [](MemoryCalls&) {}, arguments...);
}

/// Below 0 if the driver cannot say.
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

// Exports that may take memory of the device for code, graphs and kernels' stacks.

// The driver's names, and as many arguments as it has.
// NOLINTBEGIN(readability-identifier-naming,readability-function-size)
extern "C" {

// clang-format off
VRAMLAB_EXPORT(cuModuleLoad, (CUmodule* module, const char* file), with_room<hook>(module, file))
VRAMLAB_EXPORT_BOTH(cuModuleLoadData, cuModuleLoadFatBinary,
                    (CUmodule* module, const void* image), with_room<hook>(module, image))
VRAMLAB_EXPORT(cuModuleLoadDataEx,
               (CUmodule* module, const void* image, unsigned count, CUjit_option* options,
                void** values),
               with_room<hook>(module, image, count, options, values))
VRAMLAB_EXPORT(cuLibraryLoadData,
               (CUlibrary* library, const void* image, CUjit_option* options, void** values,
                unsigned count, CUlibraryOption* library_options, void** library_values,
                unsigned library_count),
               with_room<hook>(library, image, options, values, count, library_options,
                               library_values, library_count))
VRAMLAB_EXPORT(cuLibraryLoadFromFile,
               (CUlibrary* library, const char* file, CUjit_option* options, void** values,
                unsigned count, CUlibraryOption* library_options, void** library_values,
                unsigned library_count),
               with_room<hook>(library, file, options, values, count, library_options,
                               library_values, library_count))
// The first of these calls often loads the code.
VRAMLAB_EXPORT(cuLibraryGetModule, (CUmodule* module, CUlibrary library),
               with_room<hook>(module, library))
VRAMLAB_EXPORT(cuModuleGetFunction, (CUfunction* function, CUmodule module, const char* name),
               with_room<hook>(function, module, name))
VRAMLAB_EXPORT(cuKernelGetFunction, (CUfunction* function, CUkernel kernel),
               with_room<hook>(function, kernel))

VRAMLAB_EXPORT_BOTH(cuGraphInstantiate, cuGraphInstantiate_v2,
                    (CUgraphExec* made, CUgraph graph, CUgraphNode* failed, char* log,
                     std::size_t room),
                    with_room<hook>(made, graph, failed, log, room))
VRAMLAB_EXPORT(cuGraphInstantiateWithFlags,
               (CUgraphExec* made, CUgraph graph, unsigned long long flags),
               with_room<hook>(made, graph, flags))
VRAMLAB_EXPORT_BOTH(cuGraphInstantiateWithParams, cuGraphInstantiateWithParams_ptsz,
                    (CUgraphExec* made, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS* how),
                    with_room<hook>(made, graph, how))
VRAMLAB_EXPORT_BOTH(cuGraphUpload, cuGraphUpload_ptsz, (CUgraphExec graph, CUstream stream),
                    with_room<hook>(graph, stream))
VRAMLAB_EXPORT_BOTH(cuGraphLaunch, cuGraphLaunch_ptsz, (CUgraphExec graph, CUstream stream),
                    with_room<hook>(graph, stream))

VRAMLAB_EXPORT_BOTH(cuLaunchKernel, cuLaunchKernel_ptsz,
                    (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                     unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                     CUstream stream, void** arguments, void** extra),
                    with_room<hook>(function, grid_x, grid_y, grid_z, block_x, block_y, block_z,
                                    shared_bytes, stream, arguments, extra))
VRAMLAB_EXPORT_BOTH(cuLaunchKernelEx, cuLaunchKernelEx_ptsz,
                    (const CUlaunchConfig* how, CUfunction function, void** arguments,
                     void** extra),
                    with_room<hook>(how, function, arguments, extra))
VRAMLAB_EXPORT_BOTH(cuLaunchCooperativeKernel, cuLaunchCooperativeKernel_ptsz,
                    (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                     unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                     CUstream stream, void** arguments),
                    with_room<hook>(function, grid_x, grid_y, grid_z, block_x, block_y, block_z,
                                    shared_bytes, stream, arguments))
// clang-format on

}  // extern "C"
// NOLINTEND(readability-identifier-naming,readability-function-size)

// The function by which a program that knows the library registers to be asked for memory.

namespace vramlab::preload {
namespace {

bool add_free_memory_callback(CUdevice device, int (*callback)(void*), void* argument) {
  const ProgramCall call;
  if (call.calls() == nullptr || callback == nullptr) return false;
  return call.calls()->add_free_memory_callback(device, [callback, argument] {
    const ProgramsTurn turn;
    return callback(argument) != 0;
  });
}

}  // namespace
}  // namespace vramlab::preload

/// The callback is called when no cached block of the device fits a request, before the driver is
/// asked; not 0 says that it freed something. It must leave the context current that it finds.
/// Returns 0, or 1 if the library caches nothing in this process.
extern "C" [[gnu::visibility("default")]] int vramlab_add_free_memory_callback(
    int device, int (*callback)(void*), void* argument) {
  return vramlab::preload::add_free_memory_callback(device, callback, argument) ? 0 : 1;
}

// Ends of a process of which its libraries are not told: the last chance for a report. The C
// library's own `exit` uses another name and does not come here.

namespace vramlab::preload {
namespace {

using EndFunction = void (*)(int status);

/// Calls the next one in line, if it was looked up before: now it is too late, as this may be the
/// handler of a signal.
[[noreturn]] void end_process(int status) {
  tell_end_at_once();
  if (const auto next = reinterpret_cast<EndFunction>(next_exit_at_once())) next(status);
  for (;;) syscall(SYS_exit_group, status);
}

}  // namespace
}  // namespace vramlab::preload

// The C library's names.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" {

[[noreturn, gnu::visibility("default")]] void _exit(int status) {
  vramlab::preload::end_process(status);
}

[[noreturn, gnu::visibility("default")]] void _Exit(int status) noexcept {
  vramlab::preload::end_process(status);
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
