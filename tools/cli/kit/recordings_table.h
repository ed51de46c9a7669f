// RecordingsTable: one row for each device of several recordings, such as the ranks of a job:
// peaks, imbalance, failures and the line that matters most. `explain` and `info` show it.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "replay/explain/device_overview.h"
#include "tools/cli/kit/arguments.h"
#include "traces/io/input_error.h"
#include "traces/logs/memory_timeline.h"

namespace vramlab::tools {

struct RecordingRow {
  std::string file;
  replay::DeviceOverview overview;
};

struct FoundRecordings {
  /// In the order of the files.
  std::vector<RecordingRow> rows;
  /// The recording with the worst device. Null if no file has a device.
  std::unique_ptr<replay::Recording> worst;
  /// The file, if it is the only one and a memory timeline, which has no device.
  std::optional<traces::MemoryTimeline> timeline;
  /// The files that were refused; the others are answered.
  std::vector<traces::InputError> refused;
};

/// The conditions under which recordings are looked at.
struct LookedUnder {
  const ReferenceVersion* version = nullptr;
  /// Empty for what was recorded.
  std::optional<replay::ReplayConditions> replay = {};
};

/// Reads the files in parallel and keeps the worst open. Throws InputError if all are refused.
FoundRecordings look_at_recordings(const std::vector<std::string>& files, const CommonFlags& flags,
                                   const LookedUnder& under = {});

/// Names without the folders that all of them share, in lines of at most table_columns() letters.
std::string recordings_text(const std::vector<RecordingRow>& rows, const std::string& indent);
std::string recordings_markdown(const std::vector<RecordingRow>& rows);
nlohmann::ordered_json recordings_json(const std::vector<RecordingRow>& rows);

}  // namespace vramlab::tools
