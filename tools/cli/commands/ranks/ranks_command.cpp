// `vramlab ranks`: the recordings of a job in one table, worst first, with all that sets one apart.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "replay/explain/device_overview.h"
#include "replay/recording/history_checks.h"
#include "replay/recording/placed_events.h"
#include "tools/cli/commands/ranks/job_rows.h"
#include "tools/cli/commands/ranks/ranks_page.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/input_files.h"
#include "tools/cli/kit/messages.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/kit/several_files.h"
#include "tools/cli/kit/what_if_runs.h"
#include "tools/cli/printers/json_text.h"
#include "tools/cli/printers/shown_text.h"
#include "tools/cli/printers/table.h"
#include "tools/cli/printers/text_lines.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;

struct RanksArguments {
  std::vector<std::string> files;
  std::size_t threads = usual_thread_count();
  TableOutput output;
  CommonFlags flags;
};

struct RankFiles {
  std::vector<std::string> named;
  std::vector<std::string> in_folders;
};

/// Hidden files are left out, and folders in a folder.
std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().filename().string().starts_with('.')) continue;
    if (entry.is_regular_file(error)) files.push_back(entry.path().string());
  }
  if (error) throw traces::InputError({folder, "", "a folder that can be read", error.message()});
  if (files.empty()) throw traces::InputError({folder, "", "a folder with recordings", "no file"});
  std::ranges::sort(files, stands_before);
  return files;
}

RankFiles job_files_of(const std::vector<std::string>& arguments) {
  RankFiles files;
  for (const std::string& argument : arguments) {
    std::error_code error;
    if (!std::filesystem::is_directory(argument, error)) {
      files.named.push_back(argument);
      continue;
    }
    for (std::string& file : files_in(argument)) files.in_folders.push_back(std::move(file));
  }
  return files;
}

/// Steps of a drawing that is a few hundred pixels wide.
constexpr std::size_t most_levels = 200;

/// Empty for a history that can't be followed.
std::vector<replay::MemoryLevel> levels_of(replay::Recording& recording,
                                           const replay::DeviceOverview& overview) {
  if (overview.curve) return overview.curve->steps();
  const replay::DeviceHistory* const history = recording.device(overview.device);
  if (history == nullptr || !overview.has_history()) return {};
  if (!replay::impossible_part(*history).empty()) return {};
  const replay::ExplainedHistory& walked = recording.walk(*history);
  if (!walked.is_placed()) return {};
  return replay::memory_over_time(*history, walked, most_levels).steps();
}

std::vector<JobRow> job_rows_of(const std::string& file, bool with_levels, ProgressBar& bar) {
  const auto recording = open_recording(file, bar.listener());
  std::optional<replay::Replayer> replayer;
  if (recording->is_program()) replayer.emplace(*recording);
  std::vector<JobRow> rows;
  for (const replay::DeviceOverview& overview :
       overviews_of(*recording, replayer ? &*replayer : nullptr, replay::FollowsHistory::quickly)) {
    rows.push_back(job_row_of(file, overview));
    if (with_levels) rows.back().levels = levels_of(*recording, overview);
  }
  return rows;
}

struct FoundRanks {
  JobRows ranks;
  /// The number of files with an answer.
  std::size_t file_count = 0;
  /// Files of folders that are no recordings.
  std::vector<traces::InputError> left_out;
  /// Files that were named and refused.
  std::vector<traces::InputError> refused;
};

FoundRanks look_at_job(const RanksArguments& arguments, bool with_levels) {
  const RankFiles files = job_files_of(arguments.files);
  std::vector<std::string> all = files.named;
  all.insert(all.end(), files.in_folders.begin(), files.in_folders.end());
  const auto answered = answer_each_file<std::vector<JobRow>>(
      all, arguments.flags, arguments.threads,
      [&](std::size_t i, ProgressBar& bar) { return job_rows_of(all[i], with_levels, bar); });
  FoundRanks found;
  found.file_count = answered.files.size();
  for (const traces::InputError& error : answered.refused) {
    const bool is_named = std::ranges::find(files.named, error.fault().file) != files.named.end();
    (is_named ? found.refused : found.left_out).push_back(error);
  }
  std::vector<JobRow> rows;
  for (const auto& of_file : answered.answers)
    rows.insert(rows.end(), of_file.begin(), of_file.end());
  if (rows.empty())
    throw traces::InputError({all.front(), "", "a recording with memory of a device", "none"});
  found.ranks = compare_ranks(std::move(rows));
  return found;
}

std::string outlier_text(const JobRow& row) {
  std::string text;
  for (const std::string& phrase : row.outlier) text += (text.empty() ? "" : ", ") + phrase;
  return text;
}

std::string known_bytes(const std::optional<Bytes>& bytes) {
  return bytes ? format_bytes(*bytes) : "-";
}

/// A cell of Markdown or of text.
using RankCell = std::string (*)(const std::string& text);

Table ranks_table(const JobRows& ranks, std::size_t shown, RankCell cell) {
  Table table({name_column("file"),
               {"GPU"},
               {"peak allocated"},
               {"peak reserved"},
               {"of mean"},
               call_site_column("worst line"),
               left("outlier")});
  std::vector<std::string> files;
  for (const JobRow& row : ranks.rows) files.push_back(row.file);
  const std::vector<std::string> names = short_names(files);
  for (std::size_t i = 0; i < shown; ++i) {
    const JobRow& row = ranks.rows[i];
    const bool has_share = row.reserved && ranks.mean_reserved > Bytes{};
    table.add({cell(names[i]), std::to_string(row.device), known_bytes(row.allocated),
               known_bytes(row.reserved),
               has_share ? percent_of(row.reserved->count, ranks.mean_reserved.count) : "-",
               cell(row.worst_line), cell(outlier_text(row))});
  }
  return table;
}

std::string imbalance_text(const JobRows& ranks) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", ranks.imbalance().value_or(1));
  return text;
}

std::string summary_text(const FoundRanks& found) {
  const JobRows& ranks = found.ranks;
  std::string text = counted(found.file_count, "recording", "recordings") + ", " +
                     counted(ranks.rows.size(), "device", "devices") + ": peak reserved " +
                     format_bytes(ranks.most_reserved) + " at most, " +
                     format_bytes(ranks.median_reserved) + " the median, " +
                     format_bytes(ranks.least_reserved) + " at least; imbalance " +
                     imbalance_text(ranks) + " (most by mean)\n";
  text += std::to_string(ranks.failed_rows) + " with failed requests, " +
          counted(ranks.outliers, "outlier", "outliers");
  if (!found.left_out.empty())
    text +=
        "; " + counted(found.left_out.size(), "file is no recording", "files are no recordings");
  return text + "\n";
}

std::string ranks_text(const FoundRanks& found, std::size_t limit) {
  const std::size_t shown = shown_of(found.ranks.rows.size(), limit);
  std::string text =
      summary_text(found) + "\n" + ranks_table(found.ranks, shown, [](const std::string& name) {
                                     return name;
                                   }).text_within(table_columns());
  const std::size_t hidden = found.ranks.rows.size() - shown;
  if (hidden > 0) text += "  and " + std::to_string(hidden) + " more (--limit 0 shows all)\n";
  return text;
}

ordered_json job_row_json(const JobRow& row, Bytes mean) {
  const bool has_share = row.reserved && mean > Bytes{};
  return {{"file", row.file},
          {"device", row.device},
          {"events", row.events},
          {"peak_allocated_bytes", or_null(row.allocated)},
          {"peak_reserved_bytes", or_null(row.reserved)},
          {"of_mean", has_share ? ordered_json(static_cast<double>(row.reserved->count) /
                                               static_cast<double>(mean.count))
                                : ordered_json(nullptr)},
          {"failures", row.failures},
          {"worst_line", text_or_null(row.worst_line)},
          {"worst_line_bytes", or_null(row.line_bytes)},
          {"outlier", row.outlier}};
}

std::string ranks_json(const FoundRanks& found) {
  const JobRows& ranks = found.ranks;
  std::vector<std::string> left_out;
  for (const traces::InputError& error : found.left_out) left_out.push_back(error.fault().file);
  return json_text({{"schema_version", 1},
                    {"recordings", found.file_count},
                    {"left_out", left_out},
                    {"peak_reserved_bytes",
                     {{"most", ranks.most_reserved.count},
                      {"mean", ranks.mean_reserved.count},
                      {"median", ranks.median_reserved.count},
                      {"least", ranks.least_reserved.count}}},
                    {"imbalance", or_null(ranks.imbalance())},
                    {"failed", ranks.failed_rows},
                    {"outliers", ranks.outliers},
                    {"rows", json_list(ranks.rows, [&](const JobRow& row) {
                       return job_row_json(row, ranks.mean_reserved);
                     })}});
}

std::string ranks_csv(const JobRows& ranks) {
  Table table({{"file"},
               {"device"},
               {"events"},
               {"peak_allocated_bytes"},
               {"peak_reserved_bytes"},
               {"failures"},
               {"worst_line"},
               {"worst_line_bytes"},
               {"outlier"}});
  const auto number = [](const std::optional<Bytes>& bytes) {
    return bytes ? std::to_string(bytes->count) : std::string();
  };
  for (const JobRow& row : ranks.rows)
    table.add({row.file, std::to_string(row.device), std::to_string(row.events),
               number(row.allocated), number(row.reserved), std::to_string(row.failures),
               row.worst_line, number(row.line_bytes), outlier_text(row)});
  return table.csv();
}

std::string ranks_printed(const FoundRanks& found, const std::string& format, std::size_t limit) {
  if (format == "json") return ranks_json(found);
  if (format == "csv") return ranks_csv(found.ranks);
  if (format == "html") return ranks_page(found.ranks, summary_text(found));
  if (format == "markdown")
    return summary_text(found) + "\n" +
           ranks_table(found.ranks, found.ranks.rows.size(), markdown_cell).markdown();
  return ranks_text(found, limit);
}

ExitStatus show_ranks(const RanksArguments& arguments) {
  const std::string format =
      wanted_format(arguments.output, arguments.flags,
                    arguments.output.path.ends_with(".html") ? "html" : "text");
  OpenOutput output(arguments.output, arguments.files);
  const FoundRanks found = look_at_job(arguments, format == "html");
  output.finish(ranks_printed(found, format, arguments.output.row_limit));
  return tell_refused(found.refused);
}

void add_options(CLI::App& command, RanksArguments& arguments) {
  constexpr std::size_t usual_rows = 20;
  add_file(command, arguments.files,
           "Recordings, or folders of them; files of a folder that are no recordings are left out");
  add_jobs(command, arguments.threads);
  arguments.output.row_limit = usual_rows;
  add_table_output(command, arguments.output);
}

}  // namespace

Command ranks_command() {
  return {"ranks",
          "Show the recordings of a job side by side, worst first, and which ranks are outliers",
          "Example: vramlab ranks recordings/ -o ranks.html",
          with<RanksArguments>(add_options, show_ranks)};
}

}  // namespace vramlab::tools
