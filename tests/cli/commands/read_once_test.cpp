// How often a command reads a file and explains the history of a device: as --verbose tells, and as
// standard input shows, which can be read once.
#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/kit/command_test.h"
#include "tests/support/kit/dry_run_test.h"
#include "tests/support/kit/page_runs.h"

namespace vramlab::tests {
namespace {

using testing::HasSubstr;

const std::string sample_recording = samples + "gpt_training.pickle.gz";
const std::string sample_program = samples + "graphs.vtrace.jsonl";

/// Stands for a file to write.
const std::string output_word = "OUTPUT";

std::size_t count_of(const std::string& part, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

struct Question {
  std::vector<std::string> words;
  /// Whether the answer needs the history explained. A report and a list of holders need that of
  /// this one: its options decide how blocks are cut, and may have been set in mid-run.
  bool explains = true;
};

/// Every command that answers a question to one file, with what makes it look twice.
const std::vector<Question>& questions() {
  static const std::vector<Question> all = {
      {{"info"}, false},
      {{"explain"}},
      {{"verify"}},
      {{"verify", "--conf", "max_split_size_mb:64"}},
      {{"replay"}},
      {{"replay", "--device-memory", "13GiB", "--on-oom", "report"}},
      {{"replay", "--snapshot-out", output_word, "--snapshot-at", "peak", "--force"}},
      {{"sweep", "--conf", "", "--conf", "expandable_segments:True"}},
      {{"advise"}},
      {{"capacity", "--replays-above", "2"}},
      {{"snapshot", "--at", "peak"}},
      {{"snapshot", "--at", "peak", "--conf", ""}},
      {{"snapshot"}, false},
      {{"steps", "--count", "3"}},
      {{"top"}},
      {{"top", "--growth"}, false},
      {{"pack"}, false},
      {{"policies", "--policy", "planned"}, false},
      {{"streams"}, false},
      {{"report", "-o", output_word, "--force"}},
      {{"report", "--conf", "", "--conf", "max_split_size_mb:64", "-o", output_word, "--force"}},
  };
  return all;
}

std::vector<std::string> asked(const Question& question, const std::string& file) {
  std::vector<std::string> words = question.words;
  words.insert(words.begin() + 1, file);
  std::ranges::replace(words, output_word, support::own_folder() + "read_once.pickle");
  return words;
}

TEST(ReadOnce, holds_for_each_question_to_a_recording) {
  for (const Question& question : questions()) {
    std::vector<std::string> words = asked(question, sample_recording);
    SCOPED_TRACE(testing::PrintToString(words));
    words.emplace_back("--verbose");
    const ProgramResult result = run_vramlab(words);
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    EXPECT_EQ(count_of("reads " + sample_recording, result.errors), 1U);
    EXPECT_EQ(count_of("explains device 0 of", result.errors), question.explains ? 1U : 0U);
  }
}

TEST(ReadOnce, holds_for_each_question_to_a_program) {
  for (const Question& question : questions()) {
    std::vector<std::string> words = asked(question, sample_program);
    SCOPED_TRACE(testing::PrintToString(words));
    words.emplace_back("--verbose");
    const ProgramResult result = run_vramlab(words);
    EXPECT_EQ(count_of("reads ", result.errors), 1U) << result.errors;
    EXPECT_EQ(count_of("explains ", result.errors), 0U);
  }
}

TEST(ReadOnce, holds_for_each_of_two_files_that_are_compared) {
  for (const char* const by : {"site", "position"}) {
    const ProgramResult result = run_vramlab(
        {"diff", sample_recording, sample_program, "--by", by, "--at", "end", "--verbose"});
    EXPECT_EQ(count_of("reads " + sample_recording, result.errors), 1U) << result.errors;
    EXPECT_EQ(count_of("reads " + sample_program, result.errors), 1U);
    EXPECT_EQ(count_of("explains ", result.errors), 1U);
  }
}

TEST(ReadOnce, holds_for_each_of_several_files) {
  const std::string second = support::own_folder() + "read_once_second.pickle";
  ASSERT_EQ(run_vramlab({"convert", sample_recording, "-o", second, "--force"}).exit_status, 0);
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"explain"},
           {"advise"},
           {"capacity", "--replays-above", "2"},
           {"sweep", "--conf", ""},
           {"replay"},
           {"replay", "--device-memory", "13GiB", "--on-oom", "report"},
           {"top"}}) {
    std::vector<std::string> all = words;
    all.insert(all.begin() + 1, {sample_recording, second});
    all.emplace_back("--verbose");
    SCOPED_TRACE(testing::PrintToString(all));
    const ProgramResult result = run_vramlab(all);
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    for (const std::string& file : {sample_recording, second}) {
      EXPECT_EQ(count_of("reads " + file, result.errors), 1U) << result.errors;
      EXPECT_EQ(count_of("explains device 0 of " + file, result.errors), 1U);
    }
  }
}

/// An answer without the name that it has for the file.
std::string without_name(std::string text, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name))
      text.erase(at, name.size());
  return text.starts_with('-') ? text.substr(1) : text;
}

const std::vector<std::string> names_of_input = {"\"standard input\"", "standard input", "\"-\""};

TEST(ReadOnce, standard_input_is_answered_like_the_file) {
  const std::string content = content_of(sample_recording);
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"advise", "--json"},
           {"top", "--growth"},
           {"policies", "--policy", "planned"},
           {"replay", "--device-memory", "13GiB", "--on-oom", "report"},
           {"snapshot", "--at", "peak", "--conf", ""}}) {
    SCOPED_TRACE(testing::PrintToString(words));
    const ProgramResult file = run_vramlab(asked({words}, sample_recording));
    const ProgramResult input = run_vramlab(asked({words}, "-"), content);
    EXPECT_EQ(file.exit_status, 0) << file.errors;
    EXPECT_EQ(without_name(input.output, names_of_input),
              without_name(file.output, {'"' + sample_recording + '"', sample_recording}));
  }
}

TEST(ReadOnce, advice_on_standard_input_has_the_reasons_of_advice_on_the_file) {
  const std::vector<std::string> little = {"--device-memory", "12GiB"};
  std::vector<std::string> of_file = {"advise", sample_recording};
  std::vector<std::string> of_input = {"advise", "-"};
  of_file.insert(of_file.end(), little.begin(), little.end());
  of_input.insert(of_input.end(), little.begin(), little.end());
  const ProgramResult file = run_vramlab(of_file);
  const ProgramResult input = run_vramlab(of_input, content_of(sample_recording));
  EXPECT_THAT(file.output, testing::HasSubstr("model.py:21 forward: its blocks keep"));
  EXPECT_EQ(without_name(input.output, names_of_input),
            without_name(file.output, {sample_recording}));
}

/// A dry run whose fake PyTorch has the bundled recording as its history.
class DryRunOnce : public DryRunTest {};

TEST_F(DryRunOnce, reads_and_explains_the_history_for_summary_report_and_advice_together) {
  const std::string history = in_folder("history.pickle");
  ASSERT_EQ(run_vramlab({"convert", sample_recording, "-o", history}).exit_status, 0);
  const std::string page = in_folder("page.html");
  const std::string hook = support::binary_dir() + "/dry_run/python:" + support::source_dir() +
                           "/tests/cuda_standins/command/fake_torch";
  const ProgramResult result =
      dry_run({"--verbose", "--report", page, "--json", in_folder("summary.json")},
              {"env", "PYTHONPATH=" + hook, "FAKE_TORCH_SNAPSHOT=" + history, "python3", "-B", "-c",
               "import torch\nfrom torch import _C\ntorch.cuda.init()\n"});
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_EQ(count_of("reads ", result.errors), 1U) << result.errors;
  EXPECT_EQ(count_of("explains device 0 of", result.errors), 1U);
  // The fake PyTorch says that it is 2.6.0, so neither the summary nor the page guesses.
  const nlohmann::json summary = nlohmann::json::parse(content_of(in_folder("summary.json")));
  EXPECT_THAT(summary.at("processes").at(0).dump(), testing::HasSubstr("2.6.0+fake"));
  const nlohmann::json run = runs_of_page(content_of(page)).at(0);
  EXPECT_EQ(run.at("reference"), "2.6");
  EXPECT_THAT(run.at("notes").dump(), testing::Not(testing::HasSubstr("guessed")));
}

}  // namespace
}  // namespace vramlab::tests
