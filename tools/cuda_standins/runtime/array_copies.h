// How the runtime's copies of two and three dimensions are said to the driver.
#pragma once

#include "tools/cuda_standins/runtime/driver_structs.h"
#include "tools/cuda_standins/runtime/runtime_driver.h"

namespace vramlab::dry_run {

/// Memory of which the addresses tell where it is.
DriverEnd2D memory_end(const void* at, std::size_t pitch);
DriverEnd2D array_end(cudaArray_t array, std::size_t x_bytes, std::size_t y);

/// The bytes of one element, or 0 where the driver doesn't know the array.
std::size_t element_bytes(const RuntimeDriver& driver, cudaArray_t array);

DriverCopy3D as_driver(const RuntimeDriver& driver, const cudaMemcpy3DParms& copy);
DriverCopy3D as_driver(const RuntimeDriver& driver, const cudaMemcpy3DPeerParms& copy);

}  // namespace vramlab::dry_run
