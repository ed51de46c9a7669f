// `vramlab complete`: the candidates for the next word, for shells (tools/packaging/completions).
#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "allocator/options/option_reader.h"
#include "allocator/types/reference_version.h"
#include "replay/metrics/metrics.h"
#include "streams/device/gpu_models.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/help_text.h"
#include "tools/cli/kit/outputs.h"

namespace vramlab::tools {
namespace {

struct Candidate {
  std::string text;
  std::string sentence;
};

struct Candidates {
  std::vector<Candidate> words;
  /// Names of files, or a program's own words.
  bool are_files = false;
};

void keep_beginning(std::vector<Candidate>& words, const std::string& begin) {
  std::erase_if(words, [&](const Candidate& word) { return !word.text.starts_with(begin); });
}

/// All options of PYTORCH_CUDA_ALLOC_CONF, under every known version.
std::vector<Candidate> option_string_candidates(const std::string& typed) {
  const std::size_t comma = typed.rfind(',');
  const std::string before = comma == std::string::npos ? "" : typed.substr(0, comma + 1);
  const std::string entry = typed.substr(before.size());
  std::vector<Candidate> words;
  std::set<std::string> seen;
  for (const ReferenceVersion& version : allocator::reference_versions())
    for (const auto& row : allocator::rules_of(version.grammar).options) {
      const std::string name = std::string(row.name) + ":";
      const bool is_flag = std::holds_alternative<allocator::FlagValue>(row.value);
      if (is_flag && entry.starts_with(name))
        for (const char* const value : {"True", "False"})
          if (seen.insert(name + value).second) words.push_back({before + name + value, ""});
      if (!entry.starts_with(name) && seen.insert(name).second)
        words.push_back({before + name, ""});
    }
  return words;
}

std::vector<Candidate> value_candidates(const CLI::Option& option, const std::string& typed) {
  std::vector<Candidate> words;
  for (const std::string& value : values_of(option)) words.push_back({value, ""});
  if (option.check_lname("conf")) return option_string_candidates(typed);
  if (option.check_lname("gpu"))
    for (const streams::GpuModel& gpu : streams::gpu_models())
      words.push_back({std::string(gpu.name), ""});
  if (option.check_lname("reference"))
    for (const ReferenceVersion& version : allocator::reference_versions())
      words.push_back({std::string(version.name), std::string(version.description)});
  if (option.check_lname("fail-if"))
    for (const replay::Metric& metric : replay::all_metrics())
      words.push_back({std::string(metric.name), std::string(metric.sentence)});
  return words;
}

Candidates values_after(const CLI::Option& option, const std::string& typed) {
  Candidates found{value_candidates(option, typed), false};
  found.are_files = found.words.empty();
  keep_beginning(found.words, typed);
  return found;
}

/// Null if the word is no option, or is a flag.
const CLI::Option* option_with_value(const CLI::App& command, const std::string& word) {
  const CLI::Option* const option =
      word.starts_with('-') ? command.get_option_no_throw(word) : nullptr;
  return option != nullptr && option->get_items_expected_max() > 0 ? option : nullptr;
}

std::vector<Candidate> option_candidates(const CLI::App& command) {
  std::vector<Candidate> words;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames())
      words.push_back({"--" + name, option->get_description()});
  }
  return words;
}

/// A command, and whether its words go on to a program behind `--`.
struct Reached {
  const CLI::App* command;
  bool is_in_program = false;
};

Reached reached_by(const CLI::App& program, const std::vector<std::string>& words) {
  Reached reached{&program};
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == "--") return {reached.command, true};
    const auto below = listed_commands(*reached.command);
    const auto next = std::ranges::find(below, words[i], &CLI::App::get_name);
    if (next != below.end()) reached.command = *next;
  }
  return reached;
}

/// Requires: `words` is not empty. Its last word is being typed and may be empty.
Candidates candidates_after(const CLI::App& program, const std::vector<std::string>& words) {
  const std::string& typed = words.back();
  const auto [command, is_in_program] = reached_by(program, words);
  if (is_in_program) return {{}, true};
  if (words.size() > 1)
    if (const CLI::Option* const option = option_with_value(*command, words[words.size() - 2]))
      return values_after(*option, typed);
  if (const std::size_t equal = typed.find('=');
      typed.starts_with("--") && equal != std::string::npos)
    if (const CLI::Option* const option = option_with_value(*command, typed.substr(0, equal))) {
      Candidates found = values_after(*option, typed.substr(equal + 1));
      for (Candidate& word : found.words) word.text = typed.substr(0, equal + 1) + word.text;
      return found;
    }
  Candidates found;
  if (typed.starts_with('-')) {
    found.words = option_candidates(*command);
  } else {
    for (const CLI::App* below : listed_commands(*command))
      found.words.push_back({below->get_name(), below->get_description()});
    found.are_files = found.words.empty();
  }
  keep_beginning(found.words, typed);
  // A file in place of a command is explained.
  const bool is_first = words.size() == 1 && !typed.empty() && !typed.starts_with('-');
  if (is_first && found.words.empty()) found.are_files = true;
  return found;
}

struct CompleteArguments {
  const CLI::App* program = nullptr;
  std::vector<std::string> words;
};

/// One candidate a line, with its sentence behind a tab; `:files` if names of files follow.
ExitStatus complete(const CompleteArguments& arguments) {
  const Candidates found = candidates_after(*arguments.program, arguments.words);
  std::string text = found.are_files ? ":files\n" : "";
  for (const Candidate& word : found.words) text += word.text + "\t" + word.sentence + "\n";
  print(text);
  return ExitStatus::done;
}

void add_options(CLI::App& command, CompleteArguments& arguments) {
  arguments.program = command.get_parent();
  command
      .add_option("WORD", arguments.words,
                  "The words after vramlab, the last one as far as it is typed, after --")
      ->required();
}

}  // namespace

Command complete_command() {
  return {"complete", "Print what may follow on a command line, for the completions of shells",
          "Example: vramlab complete -- replay --conf expand",
          with<CompleteArguments>(add_options, complete)};
}

}  // namespace vramlab::tools
