// The driver's functions that we use, and their types.
//
// A row of a table is One(name, symbol, version, parameters), or Two(name, symbol, version, suffix,
// version of the other, parameters) where a second function, whose symbol ends in the suffix, takes
// stream 0 for the thread's own. cuGetProcAddress is asked for the name and the CUDA version since
// which it has meant this function. All of them return a CUresult.
#pragma once

#include "streams/cuda_interface/context_functions.h"
#include "streams/cuda_interface/device_functions.h"
#include "streams/cuda_interface/loading_functions.h"
#include "streams/cuda_interface/memory_functions.h"
#include "streams/cuda_interface/stream_functions.h"
#include "streams/cuda_interface/types.h"
#include "streams/cuda_interface/work_functions.h"

/// The newest version of CUDA that these declarations were compared with.
inline constexpr int newest_known_cuda = 13050;

#define VRAMLAB_CUDA_FUNCTIONS(One, Two)        \
  VRAMLAB_CUDA_DEVICE_FUNCTIONS(One, Two)       \
  VRAMLAB_CUDA_CONTEXT_FUNCTIONS(One, Two)      \
  VRAMLAB_CUDA_LOADING_FUNCTIONS(One, Two)      \
  VRAMLAB_CUDA_MEMORY_FUNCTIONS(One, Two)       \
  VRAMLAB_CUDA_GRAPH_MEMORY_FUNCTIONS(One, Two) \
  VRAMLAB_CUDA_STREAM_FUNCTIONS(One, Two)       \
  VRAMLAB_CUDA_WORK_FUNCTIONS(One, Two)

// PFN_cuMemAlloc_v3020, PFN_cuMemFreeAsync_v11020_ptsz: pointers to the functions, as CUDA names
// them.
// NOLINTBEGIN(bugprone-macro-parentheses, readability-identifier-naming)
#define VRAMLAB_CUDA_TYPE(name, symbol, version, parameters) \
  using PFN_##name##_v##version = CUresult(*) parameters;
#define VRAMLAB_CUDA_TYPES(name, symbol, version, suffix, other, parameters) \
  using PFN_##name##_v##version = CUresult(*) parameters;                    \
  using PFN_##name##_v##other##suffix = CUresult(*) parameters;
VRAMLAB_CUDA_FUNCTIONS(VRAMLAB_CUDA_TYPE, VRAMLAB_CUDA_TYPES)
// NOLINTEND(bugprone-macro-parentheses, readability-identifier-naming)
#undef VRAMLAB_CUDA_TYPE
#undef VRAMLAB_CUDA_TYPES
