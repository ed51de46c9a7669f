// What a pool of stream-ordered memory goes by, and where it took its memory from: values.
#pragma once

#include <cstdint>

#include "allocator/types/bytes_and_ids.h"

namespace vramlab::streams {

/// The attributes of a pool, with the defaults of CUDA.
struct OrderedPoolRules {
  /// What is held above it is given back when the host waits for the device.
  Bytes release_threshold{0};
  bool follows_events = true;
  bool is_opportunistic = true;
  bool adds_dependencies = true;
  Bytes unit{32ULL << 20};
  Bytes alignment{512};
};

/// The source of what was asked for.
struct OrderedPoolCounts {
  /// Free memory of the pool, as it lay.
  std::uint64_t reused = 0;
  /// Free units in new places, and new ones where these were not enough.
  std::uint64_t moved = 0;
  /// New units only.
  std::uint64_t grown = 0;
  /// The stream was made to wait for another.
  std::uint64_t made_to_wait = 0;
  std::uint64_t units_created = 0;
  std::uint64_t units_moved = 0;
  std::uint64_t units_released = 0;
};

}  // namespace vramlab::streams
