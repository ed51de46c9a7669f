// The exports that only the recorder hears of. While nothing is recorded, programs that ask by name
// get the driver's own.
#include <algorithm>

#include "tools/preload/exports/exports.h"
#include "tools/preload/exports/front.h"

using namespace vramlab::preload;

namespace {

template <class Handle>
std::uint64_t number_of(Handle* handle) {
  return reinterpret_cast<std::uintptr_t>(handle);
}
std::uint64_t number_of(CUdeviceptr address) { return address; }

/// `at` and `describe` are used only where the driver's call succeeded: outputs may be null.
template <Hook hook, class At, class... Arguments>
CUresult allocate(NewMemory memory, At* at, Arguments... arguments) noexcept {
  const ProgramCall call;
  memory.function = row_of(hook).symbol.data();
  const CUresult result = call_driver<hook>(at, arguments...);
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

NewMemory stream_ordered(std::size_t bytes, CUstream stream, DefaultStream if_null) {
  return {MemoryKind::stream_ordered, nullptr, 0, bytes, {stream, if_null}, -1};
}

NewMemory of_kind(MemoryKind kind, std::size_t bytes) { return {kind, nullptr, 0, bytes, {}, -1}; }

std::size_t bytes_of(CUarray_format format) {
  switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
      return 1;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
      return 2;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT:
      return 4;
    default:
      // Compressed and planar ones: their cells are no whole number of bytes.
      return 1;
  }
}

/// What the cells take; the driver adds what its layout needs.
template <class Descriptor>
NewMemory array_of(const Descriptor* what, std::size_t depth) {
  if (what == nullptr) return of_kind(MemoryKind::array, 0);
  const std::size_t cells = std::max<std::size_t>(what->Width, 1) *
                            std::max<std::size_t>(what->Height, 1) *
                            std::max<std::size_t>(depth, 1);
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

CUresult cuMemAllocPitch_v2(CUdeviceptr* at, std::size_t* pitch, std::size_t width,
                            std::size_t height, unsigned element_bytes) {
  const ProgramCall call;
  const CUresult result =
      call_driver<Hook::cuMemAllocPitch_v2>(at, pitch, width, height, element_bytes);
  if (call.calls() == nullptr) return result;
  if (result == CUDA_SUCCESS)
    call.calls()->memory_came(
        {MemoryKind::device, "cuMemAllocPitch_v2", *at, *pitch * height, {}, -1});
  else
    call.calls()->memory_refused("cuMemAllocPitch_v2", width * height, result);
  return result;
}

CUresult cuMemAllocManaged(CUdeviceptr* at, std::size_t bytes, unsigned flags) {
  return allocate<Hook::cuMemAllocManaged>(of_kind(MemoryKind::managed, bytes), at, bytes, flags);
}

CUresult cuMemAllocAsync(CUdeviceptr* at, std::size_t bytes, CUstream stream) {
  return allocate<Hook::cuMemAllocAsync>(stream_ordered(bytes, stream, DefaultStream::legacy), at,
                                         bytes, stream);
}

CUresult cuMemAllocAsync_ptsz(CUdeviceptr* at, std::size_t bytes, CUstream stream) {
  return allocate<Hook::cuMemAllocAsync_ptsz>(
      stream_ordered(bytes, stream, DefaultStream::per_thread), at, bytes, stream);
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr* at, std::size_t bytes, CUmemoryPool pool,
                                 CUstream stream) {
  return allocate<Hook::cuMemAllocFromPoolAsync>(
      stream_ordered(bytes, stream, DefaultStream::legacy), at, bytes, pool, stream);
}

CUresult cuMemAllocFromPoolAsync_ptsz(CUdeviceptr* at, std::size_t bytes, CUmemoryPool pool,
                                      CUstream stream) {
  return allocate<Hook::cuMemAllocFromPoolAsync_ptsz>(
      stream_ordered(bytes, stream, DefaultStream::per_thread), at, bytes, pool, stream);
}

CUresult cuMemHostAlloc(void** at, std::size_t bytes, unsigned flags) {
  return allocate<Hook::cuMemHostAlloc>(of_kind(MemoryKind::host, bytes), at, bytes, flags);
}

CUresult cuMemAllocHost_v2(void** at, std::size_t bytes) {
  return allocate<Hook::cuMemAllocHost_v2>(of_kind(MemoryKind::host, bytes), at, bytes);
}

CUresult cuMemFreeHost(void* at) { return release<Hook::cuMemFreeHost>(number_of(at), at); }

CUresult cuMemHostRegister_v2(void* at, std::size_t bytes, unsigned flags) {
  return followed_by<Hook::cuMemHostRegister_v2>(
      [&](MemoryCalls& calls) {
        calls.memory_came(
            {MemoryKind::registered_host, "cuMemHostRegister_v2", number_of(at), bytes, {}, -1});
      },
      at, bytes, flags);
}

CUresult cuMemHostUnregister(void* at) {
  return release<Hook::cuMemHostUnregister>(number_of(at), at);
}

CUresult cuArrayCreate_v2(CUarray* array, const CUDA_ARRAY_DESCRIPTOR* what) {
  return allocate<Hook::cuArrayCreate_v2>(array_of(what, 1), array, what);
}

CUresult cuArray3DCreate_v2(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* what) {
  return allocate<Hook::cuArray3DCreate_v2>(array_of(what, what == nullptr ? 1 : what->Depth),
                                            array, what);
}

CUresult cuArrayDestroy(CUarray array) {
  return release<Hook::cuArrayDestroy>(number_of(array), array);
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray* array, const CUDA_ARRAY3D_DESCRIPTOR* what,
                                unsigned levels) {
  return allocate<Hook::cuMipmappedArrayCreate>(array_of(what, what == nullptr ? 1 : what->Depth),
                                                array, what, levels);
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray array) {
  return release<Hook::cuMipmappedArrayDestroy>(number_of(array), array);
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, std::size_t bytes,
                     const CUmemAllocationProp* properties, unsigned long long flags) {
  return allocate<Hook::cuMemCreate>(physical_of(bytes, properties), handle, bytes, properties,
                                     flags);
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  return release<Hook::cuMemRelease>(handle, handle);
}

CUresult cuMemMap(CUdeviceptr at, std::size_t bytes, std::size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long flags) {
  return followed_by<Hook::cuMemMap>(
      [&](MemoryCalls& calls) { calls.memory_mapped(at, bytes, handle); }, at, bytes, offset,
      handle, flags);
}

CUresult cuMemUnmap(CUdeviceptr at, std::size_t bytes) {
  return followed_by<Hook::cuMemUnmap>(
      [&](MemoryCalls& calls) { calls.memory_unmapped(at, bytes); }, at, bytes);
}

CUresult cuGraphAddMemAllocNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                                std::size_t count, CUDA_MEM_ALLOC_NODE_PARAMS* what) {
  return followed_by<Hook::cuGraphAddMemAllocNode>(
      [&](MemoryCalls& calls) {
        calls.memory_came(
            {MemoryKind::graph, "cuGraphAddMemAllocNode", what->dptr, what->bytesize, {}, -1});
      },
      node, graph, before, count, what);
}

CUresult cuGraphAddMemFreeNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                               std::size_t count, CUdeviceptr at) {
  return release<Hook::cuGraphAddMemFreeNode>(at, node, graph, before, count, at);
}

CUresult cuIpcOpenMemHandle(CUdeviceptr* at, CUipcMemHandle handle, unsigned flags) {
  return allocate<Hook::cuIpcOpenMemHandle>(of_kind(MemoryKind::imported, 0), at, handle, flags);
}

CUresult cuIpcOpenMemHandle_v2(CUdeviceptr* at, CUipcMemHandle handle, unsigned flags) {
  return allocate<Hook::cuIpcOpenMemHandle_v2>(of_kind(MemoryKind::imported, 0), at, handle, flags);
}

CUresult cuIpcCloseMemHandle(CUdeviceptr at) { return release<Hook::cuIpcCloseMemHandle>(at, at); }

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
