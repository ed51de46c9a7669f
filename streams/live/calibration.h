// Measures what each call of a GPU's driver costs, one call at a time on an idle GPU.
#pragma once

#include <vector>

#include "streams/device/driver_calls.h"
#include "streams/live/cuda_driver.h"

namespace vramlab::streams {

/// By kind, then by size. Throws DeviceError. Requires: find_gpu() found the device.
std::vector<CalibratedCall> calibrate(const CudaDriver& driver, const CalibrationPlan& plan);

}  // namespace vramlab::streams
