// Running a history backwards: from the final segments, each event undone, to what was there before
// the first of them.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "replay/history/recorded_history.h"

namespace vramlab::replay {

struct StartingBlock {
  allocator::Bytes requested;
  /// Known for blocks that survive; for the others only the request is known.
  std::optional<allocator::Bytes> exact_size;
  allocator::StreamId stream;
  /// Its owner had given it back already.
  bool is_waiting = false;
};

struct StartingClassic {
  allocator::Bytes size;
  allocator::StreamId stream;
  allocator::PoolKind kind = allocator::PoolKind::small;
  /// Known for segments that survive.
  std::optional<allocator::PoolId> pool;
};

/// A mapped range of an expandable segment.
struct StartingPiece {
  allocator::Bytes size;
  allocator::StreamId stream;
  std::optional<allocator::PoolKind> kind;
  std::optional<allocator::PoolId> pool;
  /// No block that was placed there says it.
  bool kind_is_guessed = false;
};

struct RewoundState {
  std::map<allocator::Address, StartingBlock> blocks;
  std::map<allocator::Address, StartingClassic> classic;
  std::map<allocator::Address, StartingPiece> pieces;
  /// The first event, from the end on, that cannot have happened; empty where there is none.
  std::string contradiction;
};

RewoundState run_backwards(const DeviceHistory& history);

/// Whether anything of [begin, end) is in the map of ranges.
template <class Ranges>
auto first_overlapping(Ranges& ranges, allocator::Address begin, allocator::Address end) {
  auto at = ranges.lower_bound(begin);
  if (at != ranges.begin() && std::prev(at)->first + std::prev(at)->second.size > begin) --at;
  return at != ranges.end() && at->first < end ? at : ranges.end();
}

}  // namespace vramlab::replay
