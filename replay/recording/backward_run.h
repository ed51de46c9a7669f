// Running a history backwards: from the final segments, each event undone, to what was there before
// the first of them.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "replay/recording/recorded_history.h"

namespace vramlab::replay {

struct StartingBlock {
  Bytes requested;
  /// Known for blocks that survive; for the others only the request is known.
  std::optional<Bytes> exact_size;
  StreamId stream;
  /// Its owner had given it back already.
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

RewoundState run_backwards(const DeviceHistory& history);

/// Whether anything of [begin, end) is in the map of ranges.
template <class Ranges>
auto first_overlapping(Ranges& ranges, Address begin, Address end) {
  auto at = ranges.lower_bound(begin);
  if (at != ranges.begin() && std::prev(at)->first + std::prev(at)->second.size > begin) --at;
  return at != ranges.end() && at->first < end ? at : ranges.end();
}

}  // namespace vramlab::replay
