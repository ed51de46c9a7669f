// Writes states as a memory snapshot.
#pragma once

#include "replay/moments/replayed_states.h"
#include "traces/files/output_file.h"

namespace vramlab::tools {

/// As a pickle, or as JSON where the name ends in .json, and finishes the file. The tables are
/// those of the states and of the settings, which may be null.
void write_snapshot_file(traces::OutputFile& output, const replay::StatesAtMoment& at,
                         const traces::GenericPointer& settings,
                         const traces::SnapshotTables& tables);

}  // namespace vramlab::tools
