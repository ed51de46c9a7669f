// SegmentOrder: where the driver puts one segment beside the others. Nobody knows it beforehand,
// and it decides between free blocks of one size where the allocator takes the lowest: up to 2.11.
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
};

/// A rule that puts ranges so, in the windows of the options. Where these addresses are taken, the
/// memory itself chooses.
PlacementRule rule_of(SegmentOrder order, const MemoryOptions& options);

}  // namespace vramlab::streams
