// Recordings that are read once and replayed under many settings in parallel, for `sweep`,
// `advise`, `capacity` and others.
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "replay/replayer/replayer.h"
#include "replay/settings_search/sweep.h"
#include "tools/cli/kit/arguments.h"
#include "tools/cli/kit/input_files.h"
#include "tools/cli/printers/table.h"

namespace vramlab::tools {

/// Opens several files in parallel. Throws InputError.
std::vector<ReplayedFile> open_all(const std::vector<std::string>& files,
                                   const ReplayArguments& arguments, const CommonFlags& flags,
                                   std::size_t threads);
replay::Replayers replayers_of(const std::vector<ReplayedFile>& files);

/// Replays each setting on each recording, on at most `threads` threads. The rows are in the order
/// of the settings. A setting that the version refuses, or that cannot be replayed, gives a refused
/// row.
std::vector<replay::SweepRow> run_settings(const replay::Replayers& replayers,
                                           const std::vector<replay::AskedSetting>& settings,
                                           const replay::ReplayConditions& conditions,
                                           std::size_t threads);

struct LateFile {
  std::string file;
  replay::LateStart start;
  friend bool operator==(const LateFile&, const LateFile&) = default;
};

/// The question, for the head of an answer.
struct AskedWhatIf {
  std::vector<std::string> files;
  std::string reference;
  /// Such as `--device-memory 40GiB`, in words of the command line; empty for none.
  std::string conditions;
  std::vector<std::string> notes;
  /// Recordings that began when memory was reserved already.
  std::vector<LateFile> late = {};
  /// No setting can change the peak of any file.
  bool is_beyond_judging() const;
};

AskedWhatIf asked_what_if(const std::vector<std::string>& files, const replay::Replayers& replayers,
                          const ReplayArguments& arguments);
/// Notes which recordings were short of memory, where none is given.
void note_short_memory(AskedWhatIf& asked, const replay::Replayers& replayers,
                       const ReplayArguments& arguments);
/// The question about all files, from the questions about each. Requires: at least one.
AskedWhatIf joined(const std::vector<AskedWhatIf>& asked);
/// The question in a line, such as `a.pickle and 2 more; the worst counts; rules of PyTorch 2.6;
/// --gpu a100-80gb`, and a line about what a recording that began late cannot tell.
std::string head_text(const AskedWhatIf& asked);
std::string head_markdown(const AskedWhatIf& asked);

nlohmann::ordered_json late_json(const AskedWhatIf& asked);

/// Throws InputError for options that the version does not take.
void refuse_bad_options(const std::vector<std::string>& options, const ReferenceVersion& version);

std::string conditions_text(const ReplayArguments& arguments);

/// All conditions, in words of the command line.
struct GivenConditions {
  std::string but_options;
  /// With the name of the option; empty if none were given.
  std::string options;
  /// Empty for none.
  std::string text() const;
};
GivenConditions given_conditions(const ReplayArguments& arguments);

// A table with a row for each setting.

struct SettingCells {
  std::string options;
  /// The reason why there are no figures, or a remark about them; mostly empty.
  std::string remark;
  std::vector<std::string> figures;
};
/// A table for people, with the options behind the figures.
std::string settings_text(std::vector<Column> figures, const std::vector<SettingCells>& rows);
/// A table with the options before the figures, and the remark in a column of its own.
std::string settings_markdown(std::vector<Column> figures, const std::vector<SettingCells>& rows);
/// The setting as a user names it: `no options`, `as recorded (max_split_size_mb:64)`.
std::string options_text(const replay::AskedSetting& setting, const std::string& recorded);

/// The number of cores.
std::size_t usual_thread_count();

/// Calls `run` once with each number below `count`, on at most `threads` threads. The order is left
/// open, so a task keeps its result under its number. The first error is thrown again once all
/// threads have ended; tasks that had not begun by then are left out.
void run_tasks(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& run);

}  // namespace vramlab::tools
