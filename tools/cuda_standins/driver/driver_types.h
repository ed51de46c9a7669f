// Types of CUDA's driver that only the stand-in uses, with CUDA's names and layout.
#pragma once

#include <cstddef>

#include "streams/cuda_interface/types.h"

// NOLINTBEGIN(readability-identifier-naming): CUDA's names.

using CUlinkState = struct CUlinkState_st*;
using CUuserObject = struct CUuserObject_st*;

struct CUdevprop {
  int maxThreadsPerBlock;
  int maxThreadsDim[3];
  int maxGridSize[3];
  int sharedMemPerBlock;
  int totalConstantMemory;
  int SIMDWidth;
  int memPitch;
  int regsPerBlock;
  int clockRate;
  int textureAlign;
};

/// CUmemorytype of a copy's side that has any kind of address in its `device`.
inline constexpr unsigned unified_memory_type = 4;

struct CUDA_MEMCPY2D {
  std::size_t srcXInBytes;
  std::size_t srcY;
  unsigned srcMemoryType;
  const void* srcHost;
  CUdeviceptr srcDevice;
  CUarray srcArray;
  std::size_t srcPitch;
  std::size_t dstXInBytes;
  std::size_t dstY;
  unsigned dstMemoryType;
  void* dstHost;
  CUdeviceptr dstDevice;
  CUarray dstArray;
  std::size_t dstPitch;
  std::size_t WidthInBytes;
  std::size_t Height;
};

/// CUDA_MEMCPY3D_PEER is the same, with contexts in the reserved places.
struct CUDA_MEMCPY3D {
  std::size_t srcXInBytes;
  std::size_t srcY;
  std::size_t srcZ;
  std::size_t srcLOD;
  unsigned srcMemoryType;
  const void* srcHost;
  CUdeviceptr srcDevice;
  CUarray srcArray;
  void* reserved0;
  std::size_t srcPitch;
  std::size_t srcHeight;
  std::size_t dstXInBytes;
  std::size_t dstY;
  std::size_t dstZ;
  std::size_t dstLOD;
  unsigned dstMemoryType;
  void* dstHost;
  CUdeviceptr dstDevice;
  CUarray dstArray;
  void* reserved1;
  std::size_t dstPitch;
  std::size_t dstHeight;
  std::size_t WidthInBytes;
  std::size_t Height;
  std::size_t Depth;
};

inline constexpr auto CU_POINTER_ATTRIBUTE_HOST_POINTER = static_cast<CUpointer_attribute>(4);
inline constexpr auto CU_POINTER_ATTRIBUTE_P2P_TOKENS = static_cast<CUpointer_attribute>(5);
inline constexpr auto CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES =
    static_cast<CUpointer_attribute>(14);
inline constexpr auto CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE =
    static_cast<CUpointer_attribute>(15);
inline constexpr auto CU_POINTER_ATTRIBUTE_ACCESS_FLAGS = static_cast<CUpointer_attribute>(16);
inline constexpr auto CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE = static_cast<CUpointer_attribute>(17);
inline constexpr auto CU_POINTER_ATTRIBUTE_MAPPING_SIZE = static_cast<CUpointer_attribute>(18);
inline constexpr auto CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR = static_cast<CUpointer_attribute>(19);
inline constexpr auto CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID = static_cast<CUpointer_attribute>(20);

inline constexpr auto CU_MEM_LOCATION_TYPE_HOST = static_cast<CUmemLocationType>(2);
inline constexpr auto CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT = static_cast<CUmemLocationType>(4);
inline bool is_on_host(const CUmemLocation& location) {
  return location.type >= CU_MEM_LOCATION_TYPE_HOST &&
         location.type <= CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT;
}

enum CUmem_advise : unsigned {
  CU_MEM_ADVISE_SET_READ_MOSTLY = 1,
  CU_MEM_ADVISE_UNSET_READ_MOSTLY = 2,
  CU_MEM_ADVISE_SET_PREFERRED_LOCATION = 3,
  CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION = 4,
  CU_MEM_ADVISE_SET_ACCESSED_BY = 5,
  CU_MEM_ADVISE_UNSET_ACCESSED_BY = 6,
};

enum CUmem_range_attribute : unsigned {
  CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY = 1,
  CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION = 2,
  CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY = 3,
  CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION = 4,
  CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE = 5,
  CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID = 6,
  CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE = 7,
  CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID = 8,
};

enum CUexternalMemoryHandleType : unsigned {
  CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD = 1,
};

struct CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
  CUexternalMemoryHandleType type;
  void* handle[2];
  unsigned long long size;
  unsigned flags;
  unsigned reserved[16];
};

struct CUipcEventHandle {
  char reserved[64];
};

enum CUlimit : unsigned {};
enum CUmemPool_attribute : unsigned {
  CU_MEMPOOL_ATTR_RELEASE_THRESHOLD = 4,
  CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT = 5,
  CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH = 6,
  CU_MEMPOOL_ATTR_USED_MEM_CURRENT = 7,
  CU_MEMPOOL_ATTR_USED_MEM_HIGH = 8,
};

enum CUfunction_attribute : unsigned {
  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
  CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
  CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
  CU_FUNC_ATTRIBUTE_PTX_VERSION = 5,
  CU_FUNC_ATTRIBUTE_BINARY_VERSION = 6,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9,
  CU_FUNC_ATTRIBUTE_MAX = 18,
};

// NOLINTEND(readability-identifier-naming)
