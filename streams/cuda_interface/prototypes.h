// The driver's functions themselves, for programs that are linked to a driver.
#pragma once

#include "streams/cuda_interface/functions.h"

#define VRAMLAB_CUDA_SYMBOL(symbol, parameters) extern "C" CUresult symbol parameters;
VRAMLAB_CUDA_SYMBOLS
#undef VRAMLAB_CUDA_SYMBOL
