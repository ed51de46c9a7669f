// Calibration: measures the cost of each call of a GPU's driver, one call at a time on an idle GPU.
#pragma once

#include <vector>

#include "streams/device/driver_calls.h"
#include "streams/live/cuda_driver.h"

namespace vramlab::streams {

/// The measurements to make: of each call, by size.
struct CalibrationPlan {
  int device = 0;
  /// How often memory is taken for each size, after a first time that is not counted.
  unsigned repeats = 20;
  /// No larger size is tried, and none above half of the free memory.
  Bytes largest{16ULL << 30};
  HostTime now = {};
};

/// A row for each size, by kind, then by size. Throws DeviceError. Requires: find_gpu() found the
/// device.
std::vector<DriverCallRow> calibrate(const CudaDriver& driver, const CalibrationPlan& plan);

}  // namespace vramlab::streams
