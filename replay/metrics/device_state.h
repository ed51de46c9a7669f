// DeviceState: a device's memory at one moment, with what the snapshot alone does not say: where
// and when blocks were asked for, and the rules that the allocator goes by.
#pragma once

#include <map>
#include <optional>

#include "allocator/types/snapshot.h"
#include "replay/metrics/fragmentation.h"
#include "traces/io/long_sequence.h"
#include "traces/model/snapshot_sink.h"
#include "traces/model/snapshot_tables.h"

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
  /// Up to the moment; at least the last entry.
  traces::LongSequence<AllocatorEvent> history = {};
  /// For blocks in use, as far as is known; in a replay for others, too.
  std::map<Address, RequestOrigin> origins = {};
  /// For each entry of the history: its place in the program, as far as is known.
  traces::LongSequence<traces::StackId> stacks = {};
  /// Whether the entries of the history say their pools.
  bool names_pools = false;
  FragmentationRules rules = {};
  /// Empty if the history is not known.
  std::optional<StateMoment> moment = {};
};

}  // namespace vramlab::replay
