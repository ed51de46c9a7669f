// `vramlab merge`: joins the shards of a sweep, and says which of them have to be run again.
#include <map>

#include "tools/cli/commands/sweep/sweep_outcome.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/printers/shown_text.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

struct MergeArguments {
  std::vector<std::string> files;
  TableOutput output;
  CommonFlags flags;
};

struct Shards {
  /// By index: the file and what it holds.
  std::map<std::uint64_t, std::pair<std::string, SweepOutcome>> whole;
  /// The faults of files that hold no whole shard.
  std::vector<std::string> broken;
};

[[noreturn]] void refuse(const std::string& file, const std::string& expected,
                         const std::string& found) {
  throw traces::InputError({file, "", expected, found});
}

void add_shard(Shards& shards, const std::string& file, SweepOutcome outcome) {
  if (!outcome.shard) refuse(file, "a shard (vramlab sweep --shard)", "a whole sweep");
  if (!shards.whole.empty()) {
    const auto& [first_file, first] = shards.whole.begin()->second;
    if (!outcome.is_of_same_sweep(first) || outcome.shard->count != first.shard->count)
      refuse(file, "a shard of the same sweep as " + first_file,
             "one of other files, settings, conditions or parts");
  }
  const std::uint64_t expected = outcome.shard->share_of(outcome.setting_count);
  if (outcome.rows.size() != expected)
    refuse(file,
           std::to_string(expected) + " settings, as shard " +
               std::to_string(outcome.shard->index) + " has",
           std::to_string(outcome.rows.size()));
  const std::uint64_t index = outcome.shard->index;
  const auto [place, is_new] = shards.whole.try_emplace(index, file, std::move(outcome));
  if (!is_new)
    refuse(file, "each shard once",
           "shard " + std::to_string(index) + ", which is in " + place->second.first + " too");
}

Shards read_shards(const std::vector<std::string>& files) {
  Shards shards;
  for (const std::string& file : files) {
    std::optional<SweepOutcome> outcome;
    try {
      outcome = read_sweep(file);
    } catch (const traces::InputError& error) {
      shards.broken.emplace_back(error.what());
      continue;
    }
    add_shard(shards, file, *std::move(outcome));
  }
  return shards;
}

std::vector<std::uint64_t> missing_of(const Shards& shards, std::uint64_t count) {
  std::vector<std::uint64_t> missing;
  // A count that a file makes up must not make a list without end.
  constexpr std::size_t most_named = 1000;
  for (std::uint64_t i = 1; i <= count && missing.size() < most_named; ++i)
    if (!shards.whole.contains(i)) missing.push_back(i);
  return missing;
}

SweepOutcome joined(const Shards& shards) {
  SweepOutcome outcome = shards.whole.begin()->second.second;
  outcome.shard.reset();
  outcome.rows.clear();
  for (const auto& [index, shard] : shards.whole)
    outcome.rows.insert(outcome.rows.end(), shard.second.rows.begin(), shard.second.rows.end());
  sort_rows(outcome.rows);
  return outcome;
}

void tell_missing(const std::vector<std::uint64_t>& missing, std::uint64_t count) {
  std::string text;
  for (const std::uint64_t index : missing)
    text += (text.empty() ? " --shard " : ", --shard ") + std::to_string(index) + "/" +
            std::to_string(count);
  tell("vramlab: " + std::to_string(missing.size()) + " of " + std::to_string(count) +
       " shards are missing; run vramlab sweep again with:" + text + "\n");
}

ExitStatus merge(const MergeArguments& arguments) {
  const std::string format = wanted_format(arguments.output, arguments.flags);
  OpenOutput output(arguments.output, arguments.files);
  const Shards shards = read_shards(arguments.files);
  for (const std::string& error : shards.broken)
    tell("vramlab: not a whole shard: " + shown_name(error) + "\n");
  if (shards.whole.empty()) return ExitStatus::bad_input;
  const std::uint64_t count = shards.whole.begin()->second.second.shard->count;
  const std::vector<std::uint64_t> missing = missing_of(shards, count);
  if (!missing.empty()) {
    tell_missing(missing, count);
    return ExitStatus::answer_is_no;
  }
  output.finish(sweep_printed(joined(shards), format, arguments.output.row_limit));
  return ExitStatus::done;
}

void add_options(CLI::App& command, MergeArguments& arguments) {
  add_file(command, arguments.files, "What vramlab sweep --shard wrote");
  add_table_output(command, arguments.output);
}

}  // namespace

Command merge_command() {
  return {"merge", "Join the shards of a sweep, and show which are missing or incomplete",
          "Example: vramlab merge shard-*.json -o sweep.csv",
          with<MergeArguments>(add_options, merge)};
}

}  // namespace vramlab::tools
