#include "tools/cli/kit/recordings_table.h"

#include <algorithm>
#include <mutex>
#include <optional>

#include "tools/cli/kit/input_files.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/kit/several_files.h"
#include "tools/cli/kit/what_if_runs.h"
#include "tools/cli/printers/json_text.h"
#include "tools/cli/printers/table.h"
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

std::vector<DeviceOverview> overviews_in(replay::Recording& recording, const LookedUnder& under) {
  std::optional<replay::Replayer> replayer;
  if (recording.is_program() || under.replay) replayer.emplace(recording);
  if (under.replay) return replayed_overviews_of(recording, *replayer, *under.replay);
  return overviews_of(recording, replayer ? &*replayer : nullptr);
}

/// Empty where the history requests more than it reserves: it does not tell what was reserved.
std::optional<Bytes> reserved_of(const DeviceOverview& overview) {
  const Bytes reserved = overview.reserved();
  if (reserved < overview.metric("peak_requested")) return std::nullopt;
  return reserved;
}

/// The peak, or the memory at the end of a file without a history; empty where blocks have no
/// places.
std::optional<Bytes> allocated_of(const DeviceOverview& overview) {
  if (find_value(overview.metrics, "peak_allocated") != nullptr)
    return overview.metric("peak_allocated");
  if (find_value(overview.metrics, "peak_requested") != nullptr) return std::nullopt;
  return overview.metric("end_allocated");
}

/// The mean of the rows that tell it.
Bytes mean_reserved(const std::vector<RecordingRow>& rows) {
  Bytes all;
  std::uint64_t count = 0;
  for (const RecordingRow& row : rows) {
    const std::optional<Bytes> reserved = reserved_of(row.overview);
    if (!reserved) continue;
    all += *reserved;
    ++count;
  }
  return count == 0 ? Bytes{} : Bytes{all.count / count};
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
  const auto known = [](const std::optional<Bytes>& bytes) {
    return bytes ? format_bytes(*bytes) : std::string("-");
  };
  return {name,
          std::to_string(overview.device),
          known(allocated_of(overview)),
          known(reserved_of(overview)),
          mean == Bytes{} || !reserved_of(overview)
              ? "-"
              : percent_of(reserved_of(overview)->count, mean.count),
          overview.failures > 0 ? std::to_string(overview.failures) + " failed" : "no",
          worst_line_of(overview)};
}

using NameCell = std::string (*)(const std::string& name);

Table table_with(const std::vector<RecordingRow>& rows, NameCell name_cell) {
  Table table({name_column("file"),
               {"GPU"},
               {"peak allocated"},
               {"peak reserved"},
               {"of mean"},
               {"OOM"},
               call_site_column("worst line")});
  const Bytes mean = mean_reserved(rows);
  const std::vector<std::string> names = short_names_of(rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<std::string> cells = recording_cells(rows[i], names[i], mean);
    cells.front() = name_cell(cells.front());
    cells.back() = name_cell(cells.back());
    table.add(std::move(cells));
  }
  return table;
}

ordered_json recording_json(const RecordingRow& row) {
  const DeviceOverview& overview = row.overview;
  return {{"file", row.file},
          {"device", overview.device},
          {"events", overview.event_count},
          {"peak_allocated_bytes", or_null(allocated_of(overview))},
          {"peak_reserved_bytes", or_null(reserved_of(overview))},
          {"failures", overview.failures},
          {"worst_line", text_or_null(worst_line_of(overview))}};
}

}  // namespace

FoundRecordings look_at_recordings(const std::vector<std::string>& files, const CommonFlags& flags,
                                   const LookedUnder& under) {
  FoundRecordings found;
  std::vector<std::vector<DeviceOverview>> overviews(files.size());
  KeptWorst worst;
  const auto look_at = [&](std::size_t i, ProgressBar& bar) {
    traces::OpenTrace trace = open_input(files[i], bar.listener());
    if (files.size() == 1 && trace.format == traces::TraceFormat::memory_timeline) {
      found.timeline = traces::read_memory_timeline(*trace.source, trace.file);
      return;
    }
    std::unique_ptr<replay::Recording> recording =
        open_recording(std::move(trace), {under.version});
    overviews[i] = overviews_in(*recording, under);
    worst.offer(i, std::move(recording), overviews[i]);
  };
  found.refused = try_each_file(files, flags, usual_thread_count(), look_at);
  for (std::size_t i = 0; i < files.size(); ++i)
    for (DeviceOverview& overview : overviews[i])
      found.rows.push_back({files[i], std::move(overview)});
  found.worst = worst.take();
  return found;
}

std::string recordings_text(const std::vector<RecordingRow>& rows, const std::string& indent) {
  return table_with(rows, [](const std::string& name) { return name; })
      .text_within(table_columns(), indent);
}

std::string recordings_markdown(const std::vector<RecordingRow>& rows) {
  return table_with(rows, markdown_cell).markdown();
}

ordered_json recordings_json(const std::vector<RecordingRow>& rows) {
  return json_list(rows, recording_json);
}

}  // namespace vramlab::tools
