// Outputs of commands: `-` is standard output, no output is the input, and a refusal of the system
// is said in one line.
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/kit/command_test.h"

namespace vramlab::tests {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class OutputsTest : public FolderTest {
 protected:
  OutputsTest() { fs::copy_file(samples + "gpt_training.pickle.gz", recording); }

  const std::string recording = in_folder("recording.pickle.gz");

  /// The commands that take -o for a recording, with all that they need.
  std::vector<std::vector<std::string>> writers() const {
    return {{"convert", recording, "--format", "native-text"},
            {"snapshot", recording},
            {"report", recording},
            {"diff", recording, recording},
            {"sweep", recording, "--conf", ""},
            {"capacity", recording, "--replays-above", "0"},
            {"streams", recording}};
  }
  std::size_t files_in_folder() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }
};

/// Runs with a limit of the shell.
ProgramResult run_limited(const std::string& limit, const std::vector<std::string>& words) {
  std::string line = "ulimit " + limit + "; exec \"$0\" \"$@\"";
  std::vector<std::string> all = {"/bin/bash", "-c", std::move(line), vramlab_path};
  all.insert(all.end(), words.begin(), words.end());
  return run_program(all);
}

TEST_F(OutputsTest, dash_is_standard_output_of_the_same_bytes) {
  for (std::vector<std::string> words : writers()) {
    SCOPED_TRACE(testing::PrintToString(words));
    const std::string file = in_folder("answer");
    std::vector<std::string> to_file = words;
    to_file.insert(to_file.end(), {"-o", file, "--quiet", "--force"});
    words.insert(words.end(), {"-o", "-"});
    EXPECT_EQ(run_vramlab(to_file).exit_status, 0);
    const ProgramResult printed = run_vramlab(words);
    EXPECT_EQ(printed.exit_status, 0) << printed.errors;
    EXPECT_EQ(printed.output, content_of(file));
    fs::remove(file);
  }
  const ProgramResult trace = run_vramlab(
      {"generate", "training", "--events", "1000", "--format", "native-text", "-o", "-"});
  EXPECT_THAT(trace.output, HasSubstr("{\"format\":\"vramlab-trace\""));
  EXPECT_FALSE(fs::exists("-"));
}

TEST_F(OutputsTest, input_is_no_output_by_any_name) {
  const std::string before = content_of(recording);
  const std::string link = in_folder("link");
  fs::create_symlink(recording, link);
  for (const std::string& name :
       {recording, link,
        folder + "/../" + fs::path(folder).filename().string() + "/./recording.pickle.gz"})
    for (std::vector<std::string> words : writers()) {
      words.insert(words.end(), {"-o", name, "--force"});
      expect_refused(words, "expected another file than the input, found the same file");
    }
  for (const char* const option : {"--snapshot-out", "--timeline"})
    expect_refused({"replay", recording, option, link, "--force"}, "another file than the input");
  EXPECT_EQ(content_of(recording), before);
}

TEST_F(OutputsTest, file_that_grows_beyond_its_limit_leaves_nothing) {
  expect_refused_in_one_line(
      run_limited("-f 8", {"report", recording, "-o", in_folder("page.html"), "--quiet"}),
      "expected a file that can be written, found File too large");
  EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(OutputsTest, lack_of_memory_is_said_in_words) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer needs more addresses than the limit of this test";
#endif
  const std::string lists = std::string("\x80\x04", 2) + std::string(80U << 20, ']');
  const std::string file = write("lists.pickle", lists);
  const ProgramResult result = run_limited("-v 60000", {"info", file});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.errors, testing::Not(HasSubstr("std::")));
}

TEST_F(OutputsTest, device_that_no_machine_has_is_refused) {
  std::string traces = "[[]";
  for (int i = 1; i < 300; ++i) traces += ",[]";
  const std::string many = write("many.json", R"({"segments":[],"device_traces":)" + traces + "]}");
  expect_refused({"info", many},
                 "many.json at device_traces[128]: expected a device from 0 to 127, as PyTorch has "
                 "no others, found device 128");
}

}  // namespace
}  // namespace vramlab::tests
