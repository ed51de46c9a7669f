// Histories that are too long for memory: the same answers from a file and from standard input, and
// memory that does not grow with them.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/kit/command_test.h"

namespace vramlab::tests {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// The peak memory of a program in KiB; its output is dropped.
long peak_kib_of(const std::vector<std::string>& command) {
  const pid_t child = fork();
  if (child == 0) {
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    become_program(command);
  }
  int status = 0;
  struct rusage used{};
  EXPECT_EQ(wait4(child, &status, 0, &used), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << command[1];
  return used.ru_maxrss;
}

class LongHistory : public FolderTest {
 protected:
  std::string generated(const std::string& events) const {
    const std::string trace = folder + "/" + events + ".vtrace";
    EXPECT_EQ(run_vramlab({"generate", "training", "--layers", "4", "--events", events, "-o", trace,
                           "--quiet"})
                  .exit_status,
              0);
    return trace;
  }
  /// As long as the trace, or its last entries.
  std::string recorded(const std::string& trace, const std::string& entries) const {
    std::string recording = folder + "/" + entries + ".pickle";
    EXPECT_EQ(
        run_vramlab({"replay", trace, "--history", entries, "--snapshot-out", recording, "--quiet"})
            .exit_status,
        0);
    return recording;
  }
};

/// The recording began in mid-run, so it is read more than once.
TEST_F(LongHistory, gives_the_same_from_standard_input_as_from_a_file) {
  const std::string recording = recorded(generated("300000"), "250000");
  const std::string content = content_of(recording);
  for (const std::string at : {"peak", "1234", "time:1ms"}) {
    const ProgramResult file = run_vramlab({"snapshot", recording, "--at", at});
    const ProgramResult input = run_vramlab({"snapshot", "-", "--at", at}, content);
    ASSERT_EQ(file.exit_status, 0) << file.errors;
    EXPECT_EQ(input.exit_status, 0) << input.errors;
    EXPECT_EQ(file.output.substr(file.output.find('\n')),
              input.output.substr(input.output.find('\n')));
  }
}

TEST_F(LongHistory, without_room_for_scratch_files_is_refused_with_the_reason) {
  const std::string recording = recorded(generated("300000"), "250000");
  const ProgramResult result = run_program({"/usr/bin/env", "TMPDIR=" + folder + "/nothing",
                                            vramlab_path, "snapshot", recording, "--at", "peak"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.errors, HasSubstr("/nothing"));
  EXPECT_THAT(result.errors, HasSubstr("TMPDIR"));
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool memory_is_the_programs_own = false;
#else
constexpr bool memory_is_the_programs_own = true;
#endif

constexpr long usual_growth_kib = 24L * 1024;

/// A history in memory would take 100 MiB more. Short parts stay in memory, so a little growth is
/// allowed.
TEST_F(LongHistory, takes_hardly_more_memory_than_one_of_a_quarter_of_its_length) {
  if (!memory_is_the_programs_own) GTEST_SKIP() << "a sanitizer takes memory of its own";
  const std::string trace = generated("1300000");
  const std::string shorter = recorded(trace, "300000");
  const std::string longer = recorded(trace, "1200000");
  const auto expect_no_growth = [&](const std::string& command, std::vector<std::string> options,
                                    long most_growth_kib = usual_growth_kib) {
    const auto peak_of = [&](const std::string& file) {
      std::vector<std::string> words{vramlab_path, command, file};
      words.insert(words.end(), options.begin(), options.end());
      return peak_kib_of(words);
    };
    EXPECT_LT(peak_of(longer), peak_of(shorter) + most_growth_kib) << command;
  };
  expect_no_growth("snapshot", {"--at", "peak"});
  expect_no_growth("snapshot", {"--at", "1000", "-o", folder + "/state.pickle", "--force"});
  expect_no_growth("diff", {shorter, "--no-budget"});
  // It also replays, so a program is there as well.
  expect_no_growth("verify", {}, 2 * usual_growth_kib);
}

TEST_F(LongHistory, of_a_replay_takes_no_more_memory_on_its_way_to_a_page) {
  if (!memory_is_the_programs_own) GTEST_SKIP() << "a sanitizer takes memory of its own";
  constexpr long most_growth_kib = 16 * 1024;
  const auto peak_of = [this](const std::string& events) {
    return peak_kib_of({vramlab_path, "report", generated(events), "-o", folder + "/page.html",
                        "--force", "--quiet"});
  };
  EXPECT_LT(peak_of("1600000"), peak_of("800000") + most_growth_kib);
}

}  // namespace
}  // namespace vramlab::tests
