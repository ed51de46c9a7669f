// What `vramlab streams` says of a program, as text and as JSON.
#pragma once

#include <optional>
#include <string>

#include "replay/hazards/stream_simulation.h"
#include "tools/commands/streams/waiting_report.h"

namespace vramlab::tools {

struct StreamOutcome {
  std::string file;
  replay::StreamReport report;
  /// The same program with frees that never wait; nothing where none waited, or where the input
  /// can't be read again.
  std::optional<replay::ReplayReport> at_once;
  /// Streams, hazards, call sites and refused calls to show in the text, at most; 0 for all.
  std::uint64_t shown = 10;
};

/// What its frees cost, as a recording's.
WaitingOutcome waiting_of(const StreamOutcome& outcome);

std::string stream_text(const StreamOutcome& outcome, const traces::SnapshotTables& tables);
/// Everything, whatever `shown` says.
std::string stream_json(const StreamOutcome& outcome, const traces::SnapshotTables& tables);

}  // namespace vramlab::tools
