// The text and the JSON of explanations (replay/explain): lines with a name each, the answer first.
// `explain`, `snapshot --at oom`, `replay --on-oom report`, dry runs, reports and Python show
// these.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "replay/explain/explanation.h"
#include "tools/cli/kit/what_if_runs.h"

namespace vramlab::tools {

struct AnswerLine {
  /// Empty for one more line of the name above.
  std::string name;
  std::string text;
  /// To be typed as it is.
  bool is_command = false;
};

struct AnswerText {
  /// A sentence: the answer.
  std::string headline;
  std::vector<AnswerLine> lines;

  /// An empty name goes on with the line before.
  void add(std::string name, std::string text) {
    lines.push_back({std::move(name), std::move(text)});
  }
  /// At most 14 lines of at most 100 columns, except commands and words that are longer. Where
  /// there would be more, more holders and commands are left out first.
  std::string text() const;
  std::string markdown() const;
};

/// In lines of at most 100 columns, except commands and words that are longer.
std::string lines_text(const std::vector<AnswerLine>& lines);

nlohmann::ordered_json answer_line_json(const AnswerLine& line);

/// Such as `3.07 GiB at train.py:12 step`; `line` is empty where the file does not say.
std::string at_line(Bytes asked, const std::string& line);

/// A certainty, where a request that failed in the recorded run passes.
std::string exact_until_text(std::uint64_t event);
/// The reason why other options are modelled for a recording that began late.
inline constexpr const char* same_start_text =
    "memory from before the recording is taken to be the same under every setting";

/// Such as `8.01 GiB activations (52 %), 4.20 GiB optimizer state (27 %)`, without kinds that hold
/// less than a hundredth of all that is held; empty where no kind is known.
std::string kinds_text(const std::vector<replay::HeldGroup>& kinds, Bytes held);
/// Such as `l4 (22.03 GiB for the allocator) or 40 larger`.
std::string smallest_gpu_text(const replay::SmallestGpu& smallest);
/// A clause for the end of such a sentence; empty without a GPU that lacks kernels.
std::string without_code_text(const replay::SmallestGpu& smallest);
/// Such as `expandable_segments:True reserves 4.69 GiB (27.1 %) less at the peak`.
std::string found_advice_text(const replay::FoundAdvice& advice, const std::string& recorded);

AnswerText answer_of(const replay::FailureExplanation& failure,
                     const traces::SnapshotTables& tables);
/// `given`: the conditions of the question, which the commands to ask next repeat.
AnswerText answer_of(const replay::Explanation& explanation, const traces::SnapshotTables& tables,
                     const GivenConditions& given = {});

nlohmann::ordered_json out_of_memory_json(const replay::FailureExplanation& failure,
                                          const traces::SnapshotTables& tables);
nlohmann::ordered_json smallest_gpu_json(const replay::SmallestGpu& smallest);
nlohmann::ordered_json found_advice_json(const replay::FoundAdvice& advice);
nlohmann::ordered_json explanation_json(const replay::Explanation& explanation,
                                        const traces::SnapshotTables& tables,
                                        const GivenConditions& given = {});

/// The runner of settings that explanations are given: on all cores.
replay::SettingsRunner settings_runner();
/// Longer histories are not replayed again and again.
replay::ReplayEffort replay_effort();

}  // namespace vramlab::tools
