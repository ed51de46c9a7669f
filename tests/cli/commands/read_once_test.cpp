// How often a command reads a file and explains the history of a device: as --verbose tells, and as
// standard input shows, which can be read once.
#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/kit/command_test.h"

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
  /// Whether the answer needs the history explained.
  bool explains = true;
};

/// Every command that answers a question to one file, with what makes it look twice.
const std::vector<Question>& questions() {
  static const std::vector<Question> all = {
      {{"info"}, false},
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
      {{"top"}, false},
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

/// An answer without the name that it has for the file.
std::string without_name(std::string text, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name))
      text.erase(at, name.size());
  return text.starts_with('-') ? text.substr(1) : text;
}

const std::vector<std::string> names_of_input = {"standard input", "\"-\""};

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
  // No setting helps a program that holds all of its memory at once.
  const ProgramResult file = run_vramlab({"advise", leak});
  const ProgramResult input = run_vramlab({"advise", "-"}, content_of(leak));
  EXPECT_THAT(file.output, HasSubstr("  why "));
  EXPECT_EQ(without_name(input.output, names_of_input), without_name(file.output, {leak}));
}

}  // namespace
}  // namespace vramlab::tests
