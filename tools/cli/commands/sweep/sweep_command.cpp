// `vramlab sweep`: replays many settings on one recording, or on the recordings of all ranks of a
// job.
#include <charconv>
#include <filesystem>
#include <set>

#include "replay/replayer/replay_setup.h"
#include "replay/settings_search/sweep.h"
#include "tools/cli/commands/sweep/sweep_outcome.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/messages.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/kit/what_if_runs.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

using replay::AskedSetting;

struct SweepArguments {
  /// Files, and words of a grid.
  std::vector<std::string> words;
  ReplayArguments replay;
  std::vector<std::string> options;
  std::string grid;
  bool adds_recorded = false;
  std::string shard;
  std::size_t threads = usual_thread_count();
  TableOutput output;
  CommonFlags flags;

  std::vector<std::string> files() const {
    std::vector<std::string> files;
    for (const std::string& word : words)
      if (!is_of_grid(word)) files.push_back(word);
    return files;
  }
  std::string grid_words() const {
    std::string text;
    for (const std::string& word : words)
      if (is_of_grid(word)) text += word + " ";
    return text;
  }

 private:
  static bool is_of_grid(const std::string& word) {
    // A word too long for a file name is an error here, and means that there is no such file.
    std::error_code too_long;
    return replay::is_grid_word(word) && !std::filesystem::exists(word, too_long);
  }
};

std::optional<Shard> shard_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  Shard shard;
  const char* end = text.data() + text.size();
  const auto [slash, error] = std::from_chars(text.data(), end, shard.index);
  if (error == std::errc() && slash != end && *slash == '/') {
    const auto [last, count_error] = std::from_chars(slash + 1, end, shard.count);
    if (count_error == std::errc() && last == end && shard.index >= 1 && shard.index <= shard.count)
      return shard;
  }
  throw traces::InputError(
      {"--shard", "", "I/N with I from 1 to N, such as 3/8", "'" + text + "'"});
}

std::vector<AskedSetting> asked_settings(const SweepArguments& arguments,
                                         const ReferenceVersion& version) {
  refuse_bad_options(arguments.options, version);
  std::vector<std::string> options = arguments.options;
  const auto add = [&options](const std::vector<std::string>& more) {
    options.insert(options.end(), more.begin(), more.end());
  };
  if (const std::string words = arguments.grid_words(); !words.empty())
    add(settings_of_grid(replay::parse_grid(words, version, "the grid")));
  if (replay::is_grid_word(arguments.grid))
    add(settings_of_grid(replay::parse_grid(arguments.grid, version, "--grid")));
  else if (!arguments.grid.empty())
    add(replay::read_grid_file(arguments.grid, version));
  std::vector<AskedSetting> settings;
  std::set<std::string> seen;
  for (const std::string& conf : options)
    if (seen.insert(conf).second) settings.push_back({conf, false});
  return settings;
}

void refuse_empty(const std::vector<replay::SweepRow>& rows) {
  for (const replay::SweepRow& row : rows)
    if (!row.was_refused()) return;
  if (!rows.empty())
    throw traces::InputError({"the settings", "", "one at least that can be replayed",
                              "none; '" + rows.front().conf + "': " + rows.front().refusal});
}

ExitStatus sweep(const SweepArguments& arguments) {
  const std::vector<std::string> files = arguments.files();
  if (files.empty())
    throw traces::InputError({"the arguments", "", "a recording to sweep over", "none"});
  const std::optional<Shard> shard = shard_of(arguments.shard);
  const std::string format =
      wanted_format(arguments.output, arguments.flags, shard ? "json" : "text");
  if (shard && format != "json")
    throw traces::InputError(
        {"--format", "", "json, as shards are joined by vramlab merge", format});
  OpenOutput output(arguments.output, files);
  const std::vector<ReplayedFile> opened =
      open_all(files, arguments.replay, arguments.flags, arguments.threads);
  const replay::Replayers replayers = replayers_of(opened);
  for (const replay::Replayer* const replayer : replayers) replayer->refuse_without_requests();
  std::vector<AskedSetting> all = asked_settings(arguments, replayers.front()->version());
  if (arguments.adds_recorded) all.insert(all.begin(), {replayers.front()->settings().text, true});
  if (all.empty())
    throw traces::InputError(
        {"the arguments", "", "settings: --conf, --grid or option=a|b", "none"});
  std::vector<AskedSetting> settings;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!shard || shard->has(i)) settings.push_back(all[i]);
  SweepOutcome outcome;
  outcome.about = asked_what_if(files, replayers, arguments.replay);
  note_short_memory(outcome.about, replayers, arguments.replay);
  outcome.setting_count = all.size();
  outcome.shard = shard;
  ProgressBar bar(files.front(), arguments.flags);
  bar.show("replays " + std::to_string(settings.size()) + " settings");
  outcome.rows =
      run_settings(replayers, settings, conditions_of(arguments.replay), arguments.threads);
  bar.remove();
  if (!shard) refuse_empty(outcome.rows);
  sort_rows(outcome.rows);
  output.finish(sweep_printed(outcome, format, arguments.output.row_limit));
  return ExitStatus::done;
}

void add_settings(CLI::App& command, SweepArguments& arguments) {
  add_file(command, arguments.words,
           "Recordings or programs, in any format that vramlab info knows, of several the "
           "worst counts; and alternatives such as 'max_split_size_mb=64|128'");
  add_several_confs(command, arguments.options, "Options (PYTORCH_CUDA_ALLOC_CONF) to try");
  command.add_option("--grid", arguments.grid,
                     "Alternatives, or a file of them, every combination of which is tried "
                     "(docs/guide/sweep.md)");
  command.add_flag("--recorded", arguments.adds_recorded, "Also try the recorded options");
  command.add_option("--shard", arguments.shard,
                     "Only the I-th of N parts of the settings (I/N), to be joined by vramlab "
                     "merge (docs/guide/sweep.md)");
  add_jobs(command, arguments.threads);
}

void add_options(CLI::App& command, SweepArguments& arguments) {
  add_settings(command, arguments);
  add_replay_conditions(command, arguments.replay);
  add_table_output(command, arguments.output);
}

}  // namespace

Command sweep_command() {
  return {"sweep", "Compare many settings by replaying under each: a table, best first",
          "Example: vramlab sweep rank*.pickle 'max_split_size_mb=none|64|128' "
          "'expandable_segments=True|False'",
          with<SweepArguments>(add_options, sweep)};
}

}  // namespace vramlab::tools
