// What was there when a recording began: segments with their blocks, as values that an allocator
// can start from.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "allocator/types/directed.h"
#include "replay/recording/backward_run.h"

namespace vramlab::replay {

// How large the blocks were that were there at the start and did not survive: the file says only
// what was requested. A rest that was too small to be split off belongs to the block.

struct BlockExtents {
  std::map<Address, Bytes> sizes;
  /// Blocks whose size neither a survivor nor a later event shows.
  std::uint64_t assumed_count = 0;
};

BlockExtents find_extents(const DeviceHistory& history, const RewoundState& rewound,
                          const allocator::Settings& settings);

/// How far apart two reservations of addresses begin where nothing says so.
inline constexpr Bytes unknown_reservation{1ULL << 40};

struct StartingState {
  /// By ascending base; the pool is the device's own where `known_pools` has none.
  std::vector<GivenSegment> segments;
  std::vector<std::optional<PoolId>> known_pools;
  /// Blocks whose extent only the room around them tells.
  std::uint64_t assumed_extent_count = 0;
  std::string contradiction;
};

/// `reservation`: how many addresses an expandable segment reserves.
StartingState find_starting_state(const DeviceHistory& history, const allocator::Settings& settings,
                                  Bytes reservation);

/// Without the unmapped addresses.
Bytes mapped_size(const GivenSegment& segment);

/// By address, what was requested of the blocks.
std::map<Address, Bytes> requested_at_start(const StartingState& start);

/// For each event that asks for memory or belongs to such a call: the kind of pool of the request
/// that ends it; large where no request follows.
traces::LongSequence<PoolKind> request_kinds(const DeviceHistory& history,
                                             const allocator::Settings& settings);

}  // namespace vramlab::replay
