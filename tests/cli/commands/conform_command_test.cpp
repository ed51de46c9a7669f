// The program from outside: its output and its exit status.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/kit/command_test.h"
#include "tests/support/kit/small_case.h"
#include "tests/support/processes/places.h"

namespace vramlab::tests {
namespace {

const std::string bundled =
    support::source_dir() + "/tests/conformance/v212-checkpoint212-2170.json.gz";

std::string failing_case() { return small_case_with(R"("cudaMalloc": 1)", R"("cudaMalloc": 2)"); }

TEST(Program, help_says_what_it_does_with_an_example) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--help"}, std::vector<std::string>{"conform", "--help"}}) {
    const ProgramResult result = run_vramlab(arguments);
    EXPECT_EQ(result.exit_status, 0);
    EXPECT_NE(result.output.find("Example: vramlab "), std::string::npos);
  }
}

TEST(Program, version_names_the_program_and_the_references) {
  const ProgramResult result = run_vramlab({"--version"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_TRUE(result.output.starts_with("vramlab "));
  EXPECT_NE(result.output.find("2.12 (PyTorch 2.12 (main, April 2026))"), std::string::npos);
}

TEST(Program, wrong_usage_exits_with_2) {
  EXPECT_EQ(run_vramlab({"no-such-command"}).exit_status, 2);
  EXPECT_EQ(run_vramlab({"conform"}).exit_status, 2);
  EXPECT_EQ(run_vramlab({"conform", "--no-such-option", bundled}).exit_status, 2);
}

TEST(Conform, passing_cases_are_counted) {
  const ProgramResult result = run_vramlab({"conform", bundled, bundled});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_EQ(result.output, "2 passed, 0 failed\n");
  EXPECT_EQ(result.errors, "");
}

TEST(Conform, verbose_names_each_case) {
  const ProgramResult result = run_vramlab({"conform", "--verbose", bundled});
  EXPECT_EQ(result.output, "v212-checkpoint212-2170: passed\n1 passed, 0 failed\n");
  EXPECT_NE(result.errors.find("files: 1,"), std::string::npos);
}

TEST(Conform, a_failed_case_shows_expected_beside_actual_and_exits_with_1) {
  const ProgramResult result = run_vramlab({"conform", "-"}, failing_case());
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE(result.output.find("device_calls.cudaMalloc\n    expected  2\n    actual    1\n"),
            std::string::npos);
  EXPECT_TRUE(result.output.ends_with("\n0 passed, 1 failed\n"));
}

TEST(Conform, quiet_prints_the_last_line_only) {
  EXPECT_EQ(run_vramlab({"conform", "-q", "-"}, failing_case()).output, "0 passed, 1 failed\n");
}

TEST(Conform, json_has_a_schema_version_and_every_case) {
  const ProgramResult result = run_vramlab({"conform", "--json", bundled, "-"}, failing_case());
  EXPECT_EQ(result.exit_status, 1);
  const auto document = nlohmann::json::parse(result.output);
  EXPECT_EQ(document["schema_version"], 1);
  EXPECT_EQ(document["passed"], 1);
  EXPECT_EQ(document["failed"], 1);
  EXPECT_EQ(document["cases"][0]["passed"], true);
  EXPECT_EQ(document["cases"][1]["name"], "small");
  EXPECT_EQ(document["cases"][1]["differences"][0]["where"], "device_calls.cudaMalloc");
}

TEST(Conform, a_broken_file_is_one_line_with_position_expected_and_found_and_exits_with_2) {
  const ProgramResult result =
      run_vramlab({"conform", bundled, "-"}, small_case_with("1073741824", "-1"));
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.errors,
            "vramlab: standard input at device.total_bytes: expected a whole number from 0 to "
            "1125899906842624, found -1\n");
  EXPECT_EQ(result.output, "1 passed, 0 failed, 1 unreadable\n");
}

TEST(Conform, a_file_that_is_not_there_is_named) {
  const ProgramResult result = run_vramlab({"conform", "/no/such/case.json"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_TRUE(result.errors.starts_with("vramlab: /no/such/case.json: expected a file"));
}

}  // namespace
}  // namespace vramlab::tests
