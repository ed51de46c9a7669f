// DeviceState: a device's memory at one moment, with facts that the snapshot alone does not say:
// where and when blocks were requested, and the rules that the allocator goes by. And Moment, the
// name by which a user asks for a state.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "allocator/types/snapshot.h"
#include "replay/metrics/fragmentation.h"
#include "traces/io/long_sequence.h"
#include "traces/model/snapshot_tables.h"
#include "traces/model/snapshot_values.h"

namespace vramlab::replay {

/// The request that got a block.
struct RequestOrigin {
  traces::StackId stack;
  /// Empty if the history does not show it.
  std::optional<std::uint64_t> event;
  std::optional<std::uint64_t> time_ns;
};

/// The last event before a state.
struct StateMoment {
  std::uint64_t event = 0;
  std::optional<std::uint64_t> time_ns;
};

struct DeviceState {
  traces::DeviceIndex device;
  Snapshot snapshot;
  /// The entries up to the moment; at least the last entry.
  traces::LongSequence<AllocatorEvent> history = {};
  /// Origins of blocks in use, as far as they are known; a replay knows those of free blocks, too.
  std::map<Address, RequestOrigin> origins = {};
  /// For each entry of the history: its place in the program, as far as it is known.
  traces::LongSequence<traces::StackId> stacks = {};
  /// Whether the entries of the history say their pools.
  bool names_pools = false;
  /// The pool of the request that failed last, where following the history tells it.
  std::optional<PoolId> failed_pool = {};
  FragmentationRules rules = {};
  /// Empty if the history is not known.
  std::optional<StateMoment> moment = {};
};

/// How a user names a moment in a recording or a program.
enum class MomentKind : std::uint8_t {
  /// The peak of allocated memory: the first event at which it is highest.
  peak,
  /// The first event at which reserved memory is at its peak.
  peak_reserved,
  /// The first request that failed.
  out_of_memory,
  /// The state that the file itself shows; the only moment of a file without a history.
  end,
  /// After the event, and where states are shown, after the call that the event belongs to.
  event,
  /// After the last event that is at most so long after the first event of the file.
  time,
};

constexpr bool is_peak(MomentKind kind) {
  return kind == MomentKind::peak || kind == MomentKind::peak_reserved;
}

struct Moment {
  MomentKind kind = MomentKind::peak;
  std::uint64_t event = 0;
  std::uint64_t time_ns = 0;
};

}  // namespace vramlab::replay
