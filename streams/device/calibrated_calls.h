// What each call of a GPU's driver costs by the size that it is about, as values, and what to
// measure for it.
#pragma once

#include "streams/device/driver_calls.h"

namespace vramlab::streams {

struct CalibrationPlan {
  int device = 0;
  /// Of memory for each size, after a first time that is not counted.
  unsigned repeats = 20;
  /// Nothing larger is tried, and nothing that is more than half of what is free.
  allocator::Bytes largest{16ULL << 30};
  HostTime now = {};
};

/// Calls of one kind about one size.
struct CalibratedCall {
  DriverCallKind call = DriverCallKind::mem_alloc;
  allocator::Bytes bytes;
  std::uint64_t count = 0;
  std::uint64_t median_ns = 0;
  std::uint64_t p95_ns = 0;
  std::uint64_t max_ns = 0;
};

}  // namespace vramlab::streams
