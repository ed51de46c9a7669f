// StartingState: the segments and blocks that a device had when its recording began, as values that
// an allocator can start from. A file does not say them. They are found by running the history
// backwards from the final segments, each event undone. The file says only the requests of blocks
// that did not survive, so their sizes come from later events or are assumed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "allocator/options/size_rules.h"
#include "allocator/types/directed.h"
#include "replay/recording/recorded_history.h"

namespace vramlab::replay {

/// How far apart two reservations of addresses begin where nothing says so.
inline constexpr Bytes unknown_reservation{1ULL << 40};

struct StartingState {
  /// By ascending base; the pool is the device's own where `known_pools` has none.
  std::vector<GivenSegment> segments;
  std::vector<std::optional<PoolId>> known_pools;
  /// Blocks whose size neither a survivor nor a later event shows.
  std::uint64_t assumed_extent_count = 0;
  std::string contradiction;
};

/// `reservation`: how many addresses an expandable segment reserves.
StartingState find_starting_state(const DeviceHistory& history, const allocator::Settings& settings,
                                  Bytes reservation);

/// The segment's size without the unmapped addresses.
Bytes mapped_size(const GivenSegment& segment);

/// The requested size of each block, by address.
std::map<Address, Bytes> requested_at_start(const StartingState& start);

/// The kind of pool for each event that asks for memory or belongs to such a call, by the request
/// that ends the call; large if no request follows.
class RequestKinds {
 public:
  /// Both must outlive it.
  RequestKinds(const DeviceHistory& history, const allocator::Settings& settings)
      : history_(history), settings_(settings) {}

  /// Requires: no later event was asked for.
  PoolKind at(std::size_t event);

 private:
  const DeviceHistory& history_;
  const allocator::Settings& settings_;
  /// The events before it, back to the request before, have this kind.
  std::size_t end_ = 0;
  PoolKind kind_ = PoolKind::large;
};

/// The least number of addresses that an expandable segment reserves, on a device with the most
/// memory that it was seen to have.
Bytes least_reservation(const DeviceHistory& history, const allocator::Reserve& reserve);

struct StartingBlock {
  Bytes requested;
  /// Known for blocks that survive; for the others only the request is known.
  std::optional<Bytes> exact_size;
  StreamId stream;
  /// The owner had given it back already.
  bool is_waiting = false;
};

struct StartingClassic {
  Bytes size;
  StreamId stream;
  PoolKind kind = PoolKind::small;
  /// Known for segments that survive.
  std::optional<PoolId> pool;
};

/// A mapped range of an expandable segment.
struct StartingPiece {
  Bytes size;
  StreamId stream;
  std::optional<PoolKind> kind;
  std::optional<PoolId> pool;
  /// No block that was placed there says it.
  bool kind_is_guessed = false;
};

struct RewoundState {
  std::map<Address, StartingBlock> blocks;
  std::map<Address, StartingClassic> classic;
  std::map<Address, StartingPiece> pieces;
  /// The first event, from the end on, that cannot have happened; empty where there is none.
  std::string contradiction;
};

/// Undoes each event, from the final segments on.
RewoundState run_backwards(const DeviceHistory& history);

}  // namespace vramlab::replay
