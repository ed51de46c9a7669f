// A state of the allocator, with its history, as a memory snapshot for a writer: what a replay came
// to becomes a file that PyTorch's own viewers open.
#pragma once

#include <span>
#include <string>

#include "replay/metrics/device_state.h"
#include "traces/model/snapshot_tables.h"
#include "traces/model/snapshot_values.h"

namespace vramlab::replay {

/// The settings of a snapshot that has nothing but an option string.
traces::GenericPointer settings_value(const std::string& options, traces::TextTable& texts);

/// Segments, histories and settings, as a snapshot has them; without settings where they are null.
void write_states(std::span<const DeviceState> states, const traces::GenericPointer& settings,
                  traces::SnapshotSink& sink);

}  // namespace vramlab::replay
