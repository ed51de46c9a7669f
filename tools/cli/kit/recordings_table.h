// RecordingsTable: one row for each device of several recordings, such as the ranks of a job:
// peaks, imbalance, failures and the line that matters most. `explain` and `info` show it.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "replay/explain/device_overview.h"
#include "tools/cli/kit/arguments.h"
#include "tools/cli/printers/table.h"

namespace vramlab::tools {

struct RecordingRow {
  std::string file;
  replay::DeviceOverview overview;
};

struct FoundRecordings {
  /// In the order of the files.
  std::vector<RecordingRow> rows;
  /// The recording with the worst device. Null if none was asked to stay open.
  std::unique_ptr<replay::Recording> worst;
};

/// Reads the files in parallel and keeps the worst open. Throws InputError.
FoundRecordings look_at_recordings(const std::vector<std::string>& files, const CommonFlags& flags);

/// Names without the folders that all of them share.
Table recordings_table(const std::vector<RecordingRow>& rows);
nlohmann::ordered_json recordings_json(const std::vector<RecordingRow>& rows);

}  // namespace vramlab::tools
