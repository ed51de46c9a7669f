// The driver's functions themselves, for programs that are linked to a driver.
#pragma once

#include "streams/cuda_interface/functions.h"

#define VRAMLAB_CUDA_PROTOTYPE(name, symbol, version, parameters) \
  extern "C" CUresult symbol parameters;
#define VRAMLAB_CUDA_PROTOTYPES(name, symbol, version, suffix, other, parameters) \
  extern "C" CUresult symbol parameters;                                          \
  extern "C" CUresult symbol##suffix parameters;
VRAMLAB_CUDA_FUNCTIONS(VRAMLAB_CUDA_PROTOTYPE, VRAMLAB_CUDA_PROTOTYPES)
#undef VRAMLAB_CUDA_PROTOTYPE
#undef VRAMLAB_CUDA_PROTOTYPES
