#include "tools/cli/kit/recordings_table.h"

#include <algorithm>
#include <mutex>
#include <optional>

#include "tools/cli/kit/input_files.h"
#include "tools/cli/kit/several_files.h"
#include "tools/cli/kit/what_if_runs.h"
#include "tools/cli/printers/json_text.h"
#include "tools/cli/printers/text_lines.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;
using replay::DeviceOverview;

/// The worst recording so far; of equal ones the first file.
class KeptWorst {
 public:
  void offer(std::size_t file, std::unique_ptr<replay::Recording> recording,
             const std::vector<DeviceOverview>& overviews) {
    const DeviceOverview* const worst = worst_of(overviews);
    if (worst == nullptr) return;
    const std::lock_guard<std::mutex> lock(lock_);
    const bool is_first = !recording_;
    const bool is_worse_now = !is_first && is_worse(*worst, overview_);
    const bool is_equal = !is_first && !is_worse_now && !is_worse(overview_, *worst);
    if (!is_first && !is_worse_now && !(is_equal && file < file_)) return;
    recording_ = std::move(recording);
    overview_ = *worst;
    file_ = file;
  }
  std::unique_ptr<replay::Recording> take() { return std::move(recording_); }

 private:
  std::mutex lock_;
  std::unique_ptr<replay::Recording> recording_;
  DeviceOverview overview_;
  std::size_t file_ = 0;
};

std::vector<DeviceOverview> overviews_in(replay::Recording& recording) {
  std::optional<replay::Replayer> replayer;
  if (recording.is_program()) replayer.emplace(recording);
  return overviews_of(recording, replayer ? &*replayer : nullptr);
}

Bytes reserved_of(const DeviceOverview& overview) {
  return std::max(overview.metric("peak_reserved"), overview.metric("end_reserved"));
}

Bytes mean_reserved(const std::vector<RecordingRow>& rows) {
  Bytes all;
  for (const RecordingRow& row : rows) all += reserved_of(row.overview);
  return rows.empty() ? Bytes{} : Bytes{all.count / rows.size()};
}

std::vector<std::string> short_names_of(const std::vector<RecordingRow>& rows) {
  std::vector<std::string> files;
  for (const RecordingRow& row : rows) files.push_back(row.file);
  return short_names(files);
}

/// The line of the failure, or the line that holds most.
std::string worst_line_of(const DeviceOverview& overview) {
  if (overview.first_failure)
    return overview.first_failure->place.empty() ? "an unknown line"
                                                 : overview.first_failure->place;
  return overview.holders.empty() ? std::string() : overview.holders.front().key;
}

std::vector<std::string> recording_cells(const RecordingRow& row, const std::string& name,
                                         Bytes mean) {
  const DeviceOverview& overview = row.overview;
  const bool has_peak = find_value(overview.metrics, "peak_allocated") != nullptr;
  return {name,
          std::to_string(overview.device),
          has_peak ? format_bytes(overview.metric("peak_allocated")) : "-",
          format_bytes(reserved_of(overview)),
          mean == Bytes{} ? "-" : percent_of(reserved_of(overview).count, mean.count),
          overview.failures > 0 ? std::to_string(overview.failures) + " failed" : "no",
          worst_line_of(overview)};
}

ordered_json recording_json(const RecordingRow& row) {
  const DeviceOverview& overview = row.overview;
  return {{"file", row.file},
          {"device", overview.device},
          {"events", overview.event_count},
          {"peak_allocated_bytes", find_value(overview.metrics, "peak_allocated") == nullptr
                                       ? ordered_json()
                                       : ordered_json(overview.metric("peak_allocated").count)},
          {"peak_reserved_bytes", reserved_of(overview).count},
          {"failures", overview.failures},
          {"worst_line", text_or_null(worst_line_of(overview))}};
}

}  // namespace

FoundRecordings look_at_recordings(const std::vector<std::string>& files,
                                   const CommonFlags& flags) {
  std::vector<std::vector<DeviceOverview>> overviews(files.size());
  KeptWorst worst;
  for_each_file(files, flags, usual_thread_count(), [&](std::size_t i, ProgressBar& bar) {
    std::unique_ptr<replay::Recording> recording = open_recording(files[i], bar.listener());
    overviews[i] = overviews_in(*recording);
    worst.offer(i, std::move(recording), overviews[i]);
  });
  FoundRecordings found;
  for (std::size_t i = 0; i < files.size(); ++i)
    for (DeviceOverview& overview : overviews[i])
      found.rows.push_back({files[i], std::move(overview)});
  found.worst = worst.take();
  return found;
}

Table recordings_table(const std::vector<RecordingRow>& rows) {
  Table table({left("file"),
               {"GPU"},
               {"peak allocated"},
               {"peak reserved"},
               {"of the mean"},
               {"out of memory"},
               left("line that failed or holds most")});
  const Bytes mean = mean_reserved(rows);
  const std::vector<std::string> names = short_names_of(rows);
  for (std::size_t i = 0; i < rows.size(); ++i) table.add(recording_cells(rows[i], names[i], mean));
  return table;
}

ordered_json recordings_json(const std::vector<RecordingRow>& rows) {
  return json_list(rows, recording_json);
}

}  // namespace vramlab::tools
