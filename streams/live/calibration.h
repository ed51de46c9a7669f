// Measures what each call of a GPU's driver costs, one call at a time on an idle GPU.
#pragma once

#include <vector>

#include "streams/device/driver_calls.h"
#include "streams/live/cuda_driver.h"

namespace vramlab::streams {

/// What to measure to know what each call costs by the size that it is about.
struct CalibrationPlan {
  int device = 0;
  /// Memory is taken so often for each size, after a first time that is not counted.
  unsigned repeats = 20;
  /// No larger size is tried, and none that is more than half of what is free.
  Bytes largest{16ULL << 30};
  HostTime now = {};
};

/// A row for each size, by kind, then by size. Throws DeviceError. Requires: find_gpu() found the
/// device.
std::vector<DriverCallRow> calibrate(const CudaDriver& driver, const CalibrationPlan& plan);

}  // namespace vramlab::streams
