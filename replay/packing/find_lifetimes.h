// Reads the lifetimes of a file's blocks: of a recording as its entries tell, of a program as a
// replay of it under its own options on a device without limits shows.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "replay/packing/lifetimes.h"
#include "replay/replayer/recording.h"
#include "traces/formats/open_trace.h"

namespace vramlab::replay {

struct FoundLifetimes {
  bool is_program = false;
  const ReferenceVersion* version = nullptr;
  /// In force when it begins.
  allocator::Settings settings;
  /// By number.
  std::vector<DeviceLifetimes> devices;
  /// Sentences: what is not sure.
  std::vector<std::string> notes;
};

/// Stacks are ids in the tables. Throws InputError.
FoundLifetimes find_lifetimes(traces::OpenTrace& trace, traces::SnapshotTables& tables);

/// What is there over time, of each device: as a replay under the options in the file shows it
/// where nothing limits memory. The conditions' `timing` and `scratch` count.
/// Throws InputError.
std::vector<DeviceLifetimes> lifetimes_of(const Recording& recording,
                                          const ReplayConditions& conditions);

/// By device, how many requests were made before each end of an iteration; empty where no
/// iterations are found. Reads the file again. Throws InputError.
std::map<std::int64_t, std::vector<std::uint64_t>> find_iteration_ends(
    const std::string& path, const traces::ProgressListener& listener);

}  // namespace vramlab::replay
