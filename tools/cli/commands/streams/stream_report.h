// What `vramlab streams` prints of a program and of a recording, as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "replay/stream_waits/recorded_waiting.h"
#include "replay/stream_waits/stream_simulation.h"

namespace vramlab::tools {

struct WaitingOutcome {
  std::string file;
  replay::RecordedWaiting waiting;
  /// Call sites, streams and releases to show in the text, the costliest; 0 for all.
  std::uint64_t shown = 10;
};

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

std::string waiting_text(const WaitingOutcome& outcome);

/// Everything, whatever `shown` says.
std::string waiting_json(const WaitingOutcome& outcome);
nlohmann::ordered_json waiting_devices_json(const WaitingOutcome& outcome);

/// `329.10 KiB-seconds`, of very little `2.00 KiB-microseconds`, without times `2.50 MiB-events`.
std::string cost_text(const replay::WaitingTotals& totals, const replay::WaitingCost& cost);

/// `train.py:12 step`, or why there is no such thing.
std::string allocated_text(const replay::WaitingPlace& place);

std::string freed_text(const replay::WaitingPlace& place);

/// In percent; 0 of nothing. By time, or by events where no time goes by.
std::uint64_t share_percent(const replay::WaitingTotals& part, const replay::WaitingTotals& whole);

/// Held on average over the whole history; by events where no time goes by.
Bytes mean_held(const replay::WaitingCost& cost);

/// What the figures mean for who wrote the program, as sentences: where waiting costs most, whether
/// it raised the peak, and what would mend it. None where no free waited.
std::vector<std::string> findings_of(const replay::DeviceWaiting& device);

}  // namespace vramlab::tools
