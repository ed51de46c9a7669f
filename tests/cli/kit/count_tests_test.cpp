// tools/dev/count_tests.py: the closing line of tools/test.sh says what happened to every test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/kit/own_folder.h"
#include "tests/support/processes/places.h"
#include "tests/support/processes/run_program.h"

namespace vramlab::tests {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::HasSubstr;

/// A build folder as a run of ctest leaves it.
class CountTests : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(testing_folder() + "gtest"); }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(testing_folder() + name) << text;
  }
  void add_entry(const std::string& name, const std::string& status, const std::string& inside) {
    entries_ +=
        "<testcase name=\"" + name + "\" status=\"" + status + "\">" + inside + "</testcase>";
  }
  /// A program of googletest with the tests `one` and `two`.
  void add_suite(const std::string& status, const std::string& report,
                 const std::string& output = "") {
    add_entry("All/Suite", status, "<system-out>" + output + "</system-out>");
    write("gtest/All.Suite.tests", "All/Suite.one\nAll/Suite.two\n");
    if (!report.empty())
      write("gtest/All.Suite.xml",
            "<testsuites><testsuite>" + report + "</testsuite></testsuites>");
  }
  ProgramResult count() const {
    write("entries.xml", "<testsuite>" + entries_ + "</testsuite>");
    return run_program(
        {"/usr/bin/env", "python3", support::source_dir() + "/tools/dev/count_tests.py", folder_});
  }

 private:
  std::string testing_folder() const { return folder_ + "/Testing/"; }

  std::string folder_ = support::own_folder() + "count_tests";
  std::string entries_;
};

const std::string passed = "<testcase classname=\"All/Suite\" name=\"one\" result=\"completed\"/>";
const std::string skipped =
    "<testcase classname=\"All/Suite\" name=\"two\" result=\"skipped\"><skipped/></testcase>";
const std::string failed =
    "<testcase classname=\"All/Suite\" name=\"two\" result=\"completed\"><failure/></testcase>";

TEST_F(CountTests, counts_the_tests_of_a_suite_and_every_other_entry_once) {
  add_suite("run", passed + skipped);
  add_entry("script", "run", "");
  add_entry("browser", "notrun", "<skipped message=\"SKIP_RETURN_CODE=77\"/>");
  const ProgramResult result = count();
  EXPECT_EQ(result.output, "2 passed, 0 failed, 2 skipped\n") << result.errors;
  EXPECT_EQ(result.exit_status, 0);
}

TEST_F(CountTests, a_failure_is_one_of_all_tests_and_fails_the_run) {
  add_suite("fail", passed + failed);
  add_entry("script", "fail", "<failure/>");
  const ProgramResult result = count();
  EXPECT_EQ(result.output, "1 passed, 2 failed, 0 skipped\n") << result.errors;
  EXPECT_EQ(result.exit_status, 1);
}

TEST_F(CountTests, a_suite_that_ended_early_fails_with_the_name_of_its_last_test) {
  add_suite("fail", "",
            "[ RUN      ] All/Suite.one\n[       OK ] ...\n[ RUN      ] All/Suite.two\n");
  const ProgramResult result = count();
  EXPECT_THAT(result.output, HasSubstr("All/Suite ended in All/Suite.two: 2 without a result\n"));
  EXPECT_THAT(result.output, EndsWith("\n0 passed, 2 failed, 0 skipped\n"));
  EXPECT_EQ(result.exit_status, 1);
}

/// For instance by exit(0) in a test, which ctest takes for success.
TEST_F(CountTests, a_suite_that_ended_early_and_well_fails_too) {
  add_suite("run", "");
  EXPECT_EQ(count().exit_status, 1);
}

TEST_F(CountTests, a_test_that_is_missing_in_the_report_fails) {
  add_suite("run", passed);
  EXPECT_THAT(count().output, EndsWith("\n1 passed, 1 failed, 0 skipped\n"));
}

TEST_F(CountTests, a_program_that_fails_after_its_last_test_fails) {
  add_suite("fail", passed + skipped);
  const ProgramResult result = count();
  EXPECT_THAT(result.output, HasSubstr("All/Suite failed after its last test\n"));
  EXPECT_THAT(result.output, EndsWith("\n1 passed, 1 failed, 1 skipped\n"));
}

TEST_F(CountTests, a_program_that_is_not_there_fails) {
  add_entry("vramlab_tests_NOT_LISTED", "notrun",
            "<skipped message=\"Unable to find executable\"/>");
  EXPECT_EQ(count().output, "0 passed, 1 failed, 0 skipped\n");
}

}  // namespace
}  // namespace vramlab::tests
