// All types and constants of the driver's interface that we use.
#pragma once

#include "streams/cuda_interface/devices.h"
#include "streams/cuda_interface/handles.h"
#include "streams/cuda_interface/memory.h"
#include "streams/cuda_interface/status.h"
#include "streams/cuda_interface/streams.h"
