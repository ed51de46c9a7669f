// The symbols of the driver's functions. They are compiled twice: under CUDA's own names for
// libcuda.so.1, and as stand_in_cuX for a static library that tests can link beside anything.
#pragma once

#include "streams/cuda_interface/types.h"

#ifdef STAND_IN_IS_LIBCUDA
#define STAND_IN_SYMBOL(name) name
#else
#define STAND_IN_SYMBOL(name) stand_in_##name
#endif
#define STAND_IN_EXPORT extern "C" __attribute__((visibility("default")))
