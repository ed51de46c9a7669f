// Lifetimes: what a device's memory was used for, from when to when, as packers and policies need
// it. Time is counted in steps: each request and each end is one, so that two blocks overlap
// exactly where both are there after the same step.
//
// A block is there until its free is completed: memory that other streams still work on is used.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "allocator/options/settings.h"
#include "allocator/types/snapshot.h"
#include "replay/recording/recorded_history.h"

namespace vramlab::replay {

struct Lifetime {
  /// [begin, end) in steps. 0: it was there before the first event.
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  Bytes requested;
  /// The request rounded up as the options say: the least that its block takes.
  Bytes bytes;
  StreamId stream;
  PoolId pool;
  traces::StackId stack;
};

/// What a program tells its allocator beside requests and frees.
struct AllocatorNotice {
  enum class Kind : std::uint8_t { empty_cache, pool_given_up, options };
  Kind kind = Kind::empty_cache;
  /// After so many steps.
  std::uint64_t step = 0;
  PoolId pool = {};
  std::string options = {};
};

struct DeviceLifetimes {
  std::int64_t device = 0;
  /// By begin; those from before the first event by address.
  std::vector<Lifetime> blocks;
  /// By step; of a program.
  std::vector<AllocatorNotice> notices;
  /// So many steps are there; what is never given back ends after the last one.
  std::uint64_t steps = 0;
  /// False: only what is there at the end is known.
  bool has_history = false;
  /// Handed out again without an end.
  std::uint64_t contradictions = 0;
  /// The most that the online allocator held: as recorded, or as the program's replay had it.
  std::optional<Bytes> online_peak_reserved;
};

/// From events in order, their stacks, and what is there at the end.
DeviceLifetimes lifetimes_of(const DeviceHistory& history, const allocator::Settings& settings);

}  // namespace vramlab::replay
