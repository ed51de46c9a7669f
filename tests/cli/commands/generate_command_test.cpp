// `vramlab generate` from outside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/kit/command_test.h"
#include "tests/support/kit/generated.h"

namespace vramlab::tests {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

class Generate : public FolderTest {
 protected:
  ProgramResult generate(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "generate");
    return run_vramlab(std::move(arguments));
  }
  /// The mistake is named, and no file is left behind.
  void expect_refused(const std::vector<std::string>& arguments, const std::string& reason) {
    const ProgramResult result = generate(arguments);
    EXPECT_EQ(result.exit_status, 2);
    EXPECT_THAT(result.errors, HasSubstr(reason));
    EXPECT_TRUE(fs::is_empty(folder));
  }
  std::uintmax_t bytes_in_folder() const {
    std::uintmax_t bytes = 0;
    for (const auto& entry : fs::directory_iterator(folder)) bytes += entry.file_size();
    return bytes;
  }
};

TEST_F(Generate, writes_what_the_library_makes) {
  traces::WorkloadRequest request = support::small_workload("leak", 5);
  request.sizes = {{"layers", 2}};
  for (const auto& [ending, format] : {std::pair(".vtrace.jsonl", traces::TraceFormat::native_text),
                                       std::pair(".vtrace", traces::TraceFormat::native_binary)}) {
    const std::string output = folder + "/out" + ending;
    const ProgramResult result =
        generate({"leak", "--seed", "5", "--events", "20000", "--layers", "2", "-o", output});
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    EXPECT_TRUE(content_of(output) == support::generated_file(request, format)) << ending;
  }
}

TEST_F(Generate, a_format_can_be_named) {
  const std::string output = folder + "/out";
  EXPECT_EQ(
      generate({"graphs", "--events", "1", "-o", output, "--format", "native-text"}).exit_status,
      0);
  EXPECT_THAT(content_of(output), StartsWith("{\"format\":\"vramlab-trace\""));
}

TEST_F(Generate, a_switch_needs_no_number) {
  const std::string output = folder + "/out.jsonl";
  EXPECT_EQ(generate({"training", "--layers", "1", "--recompute", "-o", output}).exit_status, 0);
  EXPECT_THAT(content_of(output), HasSubstr("model/checkpoint.py"));
}

TEST_F(Generate, info_reads_what_was_written) {
  const std::string output = folder + "/out.vtrace";
  ASSERT_EQ(generate({"fragments", "--events", "1000", "-o", output}).exit_status, 0);
  const ProgramResult result = run_vramlab({"info", output});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("workload fragments"));
}

TEST_F(Generate, lists_every_workload_with_its_options) {
  const ProgramResult text = generate({"--list"});
  EXPECT_EQ(text.exit_status, 0);
  for (const traces::Workload& workload : traces::workloads()) {
    EXPECT_THAT("\n" + text.output, HasSubstr("\n" + std::string(workload.name) + " "));
    for (const traces::WorkloadOption& option : workload.options)
      EXPECT_THAT(text.output, HasSubstr("--" + std::string(option.name) + " "));
  }
  const ProgramResult list = generate({"--list", "--json"});
  EXPECT_THAT(list.output, HasSubstr("\"schema_version\": 1"));
  EXPECT_THAT(list.output, HasSubstr("\"name\": \"kv-heads\""));
}

TEST_F(Generate, wrong_usage_is_refused_with_what_is_wrong) {
  const std::string output = folder + "/out.vtrace";
  expect_refused({"nothing", "-o", output}, "expected one of training, serving");
  expect_refused({"leak", "--experts", "2", "-o", output}, "expected one of its options --layers");
  expect_refused({"leak", "--layers", "0", "-o", output}, "--layers: expected a number from 1");
  expect_refused({"leak", "--layers", "many", "-o", output}, "--layers");
  expect_refused({"leak", "--events", "0", "-o", output}, "--events");
  expect_refused({"leak", "-o", folder + "/out.txt"}, "a name that ends in");
  expect_refused({"leak"}, "--output");
  expect_refused({"-o", output}, "NAME");
}

/// A long trace, so that the command still runs when it is interrupted.
pid_t start_long(const std::string& output) {
  const pid_t child = fork();
  if (child != 0) return child;
  become_program({vramlab_path, "generate", "training", "--events", "1000000000", "-o", output});
}

TEST_F(Generate, being_interrupted_leaves_nothing) {
  const pid_t child = start_long(folder + "/out.vtrace");
  ASSERT_GT(child, 0);
  while (bytes_in_folder() == 0) usleep(1000);
  kill(child, SIGINT);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(fs::is_empty(folder));
}

TEST_F(Generate, nothing_is_overwritten_without_force) {
  const std::string output = folder + "/out.vtrace";
  std::ofstream(output) << "mine";
  EXPECT_EQ(generate({"leak", "--events", "1", "-o", output}).exit_status, 2);
  EXPECT_EQ(content_of(output), "mine");
  EXPECT_EQ(generate({"leak", "--events", "1", "-o", output, "--force"}).exit_status, 0);
  EXPECT_THAT(content_of(output), StartsWith("vramlabB"));
}

}  // namespace
}  // namespace vramlab::tests
