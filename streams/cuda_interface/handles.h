// What the driver's objects are called in programs: numbers, and pointers to what only the driver
// knows.
#pragma once

#include <cstdint>

// NOLINTBEGIN(readability-identifier-naming): CUDA's names.

using cuuint64_t = std::uint64_t;

using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUmemGenericAllocationHandle = unsigned long long;

using CUcontext = struct CUctx_st*;
using CUgreenCtx = struct CUgreenCtx_st*;                // Since CUDA 12.4.
using CUdevResourceDesc = struct CUdevResourceDesc_st*;  // Since CUDA 12.4.
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUgraph = struct CUgraph_st*;
using CUgraphNode = struct CUgraphNode_st*;
using CUgraphExec = struct CUgraphExec_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUlibrary = struct CUlib_st*;
using CUkernel = struct CUkern_st*;
using CUarray = struct CUarray_st*;
using CUmipmappedArray = struct CUmipmappedArray_st*;
using CUmemoryPool = struct CUmemPoolHandle_st*;
using CUexternalMemory = struct CUextMemory_st*;

// NOLINTEND(readability-identifier-naming)
