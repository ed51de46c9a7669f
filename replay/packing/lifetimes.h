// Lifetimes: when each block of a device's memory begins and ends, as packers and policies need it,
// and the least memory that any allocator needs for them. Time is counted in steps: each request
// and each end is one, so that two blocks overlap exactly where both are live after the same step.
//
// A block is live until its free is completed: memory that other streams still work on is in use.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "allocator/options/settings.h"
#include "allocator/types/snapshot.h"
#include "replay/packing/buffer.h"
#include "replay/recording/recorded_history.h"

namespace vramlab::replay {

struct Lifetime {
  /// [begin, end) in steps. A begin of 0 is before the first event.
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  Bytes requested;
  /// The request rounded up as the options say: the least that its block takes.
  Bytes bytes;
  StreamId stream;
  PoolId pool;
  traces::StackId stack;
};

/// A call of a program to its allocator that is no request and no free.
struct AllocatorNotice {
  enum class Kind : std::uint8_t { empty_cache, pool_given_up, options };
  Kind kind = Kind::empty_cache;
  /// The number of steps before it.
  std::uint64_t step = 0;
  PoolId pool = {};
  std::string options = {};
};

struct DeviceLifetimes {
  std::int64_t device = 0;
  /// Sorted by begin; blocks from before the first event by address.
  std::vector<Lifetime> blocks;
  /// By step; empty for a recording.
  std::vector<AllocatorNotice> notices;
  /// The number of steps. Blocks that are never freed end after the last one.
  std::uint64_t steps = 0;
  /// False where only the blocks live at the end are known.
  bool has_history = false;
  /// Blocks whose memory was handed out again without an end.
  std::uint64_t contradictions = 0;
  /// The peak that the online allocator held: as recorded, or in the replay of a program.
  std::optional<Bytes> online_peak_reserved;
};

/// Lifetimes from the events of a history and its final segments.
DeviceLifetimes lifetimes_of(const DeviceHistory& history, const allocator::Settings& settings);

/// The least memory that a history needs, whatever an allocator does.
struct LowerBounds {
  /// The peak of requested bytes. No allocator needs less.
  Bytes peak_requested;
  /// The peak of requests rounded up: the load bound of an allocator with these block sizes.
  Bytes peak_rounded;
  /// The peak of each stream by itself, rounded.
  std::map<StreamId, Bytes> peak_by_stream;
  /// The sum of the streams' peaks: the least memory where streams do not share any.
  Bytes sum_of_streams;
};

LowerBounds lower_bounds_of(const DeviceLifetimes& device);

/// The buffers that a packer places: blocks of rounded sizes, at multiples of the smallest block.
std::vector<Buffer> buffers_of(const DeviceLifetimes& device);

/// Throws InputError where sizes add up to more than packers and policies can count. `file` is for
/// the message.
void check_countable(const DeviceLifetimes& device, const std::string& file);

}  // namespace vramlab::replay
