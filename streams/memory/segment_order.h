// SegmentOrder: where the driver puts one segment beside the others. It decides between free blocks
// of one size where the allocator takes the lowest: up to PyTorch 2.11.
#pragma once

#include "streams/memory/simulated_memory.h"

namespace vramlab::streams {

enum class SegmentOrder : std::uint8_t {
  /// Each above those before, or in the lowest gap.
  upwards,
  /// Each below those before.
  downwards,
  /// Larger ones above smaller ones; those of one power of two upwards.
  by_size,
  /// As NVIDIA's driver for Linux (driver_places.h).
  driver,
};

/// Makes the memory put ranges so, in the windows of the options, instead of by their own rule.
void set_order(MemoryOptions& options, SegmentOrder order);

}  // namespace vramlab::streams
