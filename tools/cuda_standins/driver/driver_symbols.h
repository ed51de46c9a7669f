// What a function of the driver is called here: compiled twice, it has CUDA's own name in
// libcuda.so.1, and stand_in_cuX in a static library that tests link beside anything.
#pragma once

#include "streams/cuda_interface/types.h"

#ifdef STAND_IN_IS_LIBCUDA
#define STAND_IN_SYMBOL(name) name
#else
#define STAND_IN_SYMBOL(name) stand_in_##name
#endif
#define STAND_IN_EXPORT extern "C" __attribute__((visibility("default")))
