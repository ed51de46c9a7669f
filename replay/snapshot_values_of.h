// A state of the allocator, with its history, as a memory snapshot for a writer: what a replay came
// to becomes a file that PyTorch's own viewers open.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "allocator/allocator_event.h"
#include "allocator/snapshot.h"
#include "traces/snapshot_sink.h"
#include "traces/snapshot_tables.h"

namespace vramlab::replay {

/// One device at one moment.
struct DeviceState {
  traces::DeviceIndex device;
  allocator::Snapshot snapshot;
  std::vector<allocator::AllocatorEvent> history;
  /// Where each block in use was asked for.
  std::map<allocator::Address, traces::StackId> stacks;
  /// Of the last requests that were given something, in order.
  std::vector<traces::StackId> request_stacks;
  /// Whether the entries of the history say their pools.
  bool names_pools = false;
};

/// The settings of a snapshot that has nothing but an option string.
traces::GenericPointer settings_value(const std::string& options, traces::TextTable& texts);

/// Segments, histories and settings, as a snapshot has them; without settings where they are null.
void write_states(std::span<const DeviceState> states, const traces::GenericPointer& settings,
                  traces::SnapshotSink& sink);

}  // namespace vramlab::replay
