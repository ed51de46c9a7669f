// The state of a replay at a moment, and writing it as a memory snapshot.
#pragma once

#include <string>
#include <vector>

#include "replay/replay_source.h"
#include "replay/snapshot_values_of.h"
#include "tools/replay_arguments.h"
#include "traces/output_file.h"

namespace vramlab::tools {

struct StatesAtMoment {
  std::vector<replay::DeviceState> states;
  /// Of the whole replay, not only up to the moment.
  replay::ReplayReport report;
};

/// Replays as often as it takes: once to find the moment where it has to be looked for, and once
/// up to it.
StatesAtMoment states_at(replay::ReplaySource& source, const Moment& moment,
                         const std::string& file, const replay::ReplayWatch& first_watch);

/// As a pickle, or as JSON where the name ends in .json, and finishes the file. The tables are
/// those of the states and of the settings, which may be null.
void write_snapshot_file(traces::OutputFile& output, const StatesAtMoment& at,
                         const traces::GenericPointer& settings,
                         const traces::SnapshotTables& tables);

}  // namespace vramlab::tools
