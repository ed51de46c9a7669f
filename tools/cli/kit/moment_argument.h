// Moments on the command line, the same for every command, and the state at one as a file.
#pragma once

#include <optional>
#include <string>

#include "replay/metrics/device_state.h"
#include "replay/replayer/replayed_states.h"
#include "tools/cli/kit/arguments.h"
#include "traces/io/byte_sink.h"

namespace vramlab::tools {

/// `peak`, `oom`, `end`, an event's number, or a time such as `12.5ms` or `time:3s`. Nothing where
/// it is none of them.
std::optional<replay::Moment> moment_of(const std::string& text);

/// As it was given, a time without `time:`.
std::string shown_moment(const std::string& text);

/// Adds an option that takes a moment.
CLI::Option* add_moment(CLI::App& command, const std::string& name, std::string& text,
                        const std::string& description);

/// As a pickle, or as JSON where the name ends in .json, and finishes the file. The tables are
/// those of the states and of the settings, which may be null.
void write_snapshot_file(traces::OutputFile& output, const replay::StatesAtMoment& at,
                         const traces::GenericPointer& settings,
                         const traces::SnapshotTables& tables);

}  // namespace vramlab::tools
