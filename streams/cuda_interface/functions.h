// The types of the driver's functions, made of their list: PFN_cuMemAlloc_v3020,
// PFN_cuMemFreeAsync_v11020_ptsz, as CUDA names them.
//
// A program that is linked to a driver includes prototypes.h besides.
#pragma once

#include "streams/cuda_interface/function_list.h"
#include "streams/cuda_interface/types.h"

/// The newest version of CUDA that these declarations were compared with.
inline constexpr int newest_known_cuda = 13050;

// NOLINTBEGIN(bugprone-macro-parentheses, readability-identifier-naming)
#define VRAMLAB_CUDA_TYPE(name, symbol, since, stand_in, runtime, hook, call, parameters) \
  using PFN_##name##_v##since = CUresult(*) parameters;
#define VRAMLAB_CUDA_TYPES(name, symbol, since, suffix, other, stand_in, runtime, hook, call, \
                           parameters)                                                        \
  using PFN_##name##_v##since = CUresult(*) parameters;                                       \
  using PFN_##name##_v##other##suffix = CUresult(*) parameters;
VRAMLAB_CUDA_FUNCTIONS(VRAMLAB_CUDA_TYPE, VRAMLAB_CUDA_TYPES, VRAMLAB_CUDA_NONE, VRAMLAB_CUDA_NONE)
// NOLINTEND(bugprone-macro-parentheses, readability-identifier-naming)
#undef VRAMLAB_CUDA_TYPE
#undef VRAMLAB_CUDA_TYPES
