// The exports about memory: those that are answered by what implements them, and those that only
// the recorder hears of. While nothing is recorded, programs that ask for the latter by name get
// the driver's own.
#include <algorithm>
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

/// The device whose memory a call takes.
template <Hook hook>
CUdevice device_of(const NewMemory& memory) {
  // Nobody says which device a pool belongs to.
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

/// What a graph's node allocates or frees lies where all kinds of nodes have theirs.
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

/// What the cells take; the driver adds what its layout needs.
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

// What only the recorder hears of.
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
