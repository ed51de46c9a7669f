// `vramlab policies` from outside, and the table of it in docs/guide/packing.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/kit/command_test.h"
#include "tests/support/processes/places.h"

namespace vramlab::tests {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

ProgramResult policies(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "policies");
  return run_vramlab(std::move(arguments));
}

TEST(PoliciesCommand, compares_all_and_says_which_are_not_in_pytorch) {
  const ProgramResult result = policies({leak});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  for (const char* name : {"  caching  ", "caching_expandable  ", "first_fit *", "tlsf *",
                           "stitching *", "planned *", "* not in PyTorch"})
    EXPECT_THAT(result.output, HasSubstr(name));
}

TEST(PoliciesCommand, runs_those_that_are_asked_for_under_the_options_that_are_given) {
  const json document = json::parse(policies({leak, "--policy", "caching", "--policy", "tlsf",
                                              "--conf", "expandable_segments:True", "--json"})
                                        .output);
  const json& runs = document["devices"][0]["policies"];
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0]["policy"], "caching");
  EXPECT_GT(runs[0]["metrics"]["units_mapped"], 0);
  EXPECT_EQ(runs[1]["is_in_pytorch"], false);
  EXPECT_EQ(document["options"], "expandable_segments:True");
}

TEST(PoliciesCommand, prints_a_table_for_markdown) {
  const ProgramResult result = policies({leak, "--format", "markdown"});
  EXPECT_THAT(result.output, HasSubstr("| policy | reserved |"));
  EXPECT_THAT(result.output, HasSubstr("| stitching * |"));
  EXPECT_THAT(result.output, Not(HasSubstr("options")));
  const ProgramResult with_options =
      policies({leak, "--format", "markdown", "--conf", "max_split_size_mb:40"});
  EXPECT_THAT(with_options.output, HasSubstr("options of caching: max_split_size_mb:40\n\n"));
}

TEST(PoliciesCommand, counts_what_fails_on_a_small_device) {
  const json document = json::parse(policies({leak, "--device-memory", "300MiB", "--json"}).output);
  for (const json& run : document["devices"][0]["policies"]) {
    EXPECT_GT(run["metrics"]["out_of_memory"], 0) << run["policy"];
    EXPECT_LE(run["metrics"]["peak_reserved"], 300 << 20) << run["policy"];
  }
}

TEST(PoliciesCommand, refuses_what_it_does_not_know) {
  EXPECT_EQ(policies({leak, "--policy", "magic"}).exit_status, 2);
  EXPECT_EQ(policies({leak, "--conf", "magic:1"}).exit_status, 2);
  EXPECT_EQ(policies({samples + "none.vtrace"}).exit_status, 2);
}

/// The rows of docs/guide/packing.md: a sample, then the memory that each policy reserved.
TEST(PoliciesCommand, comes_to_what_the_page_of_policies_says) {
  std::ifstream page(support::source_dir() + "/docs/guide/packing.md");
  std::size_t rows = 0;
  for (std::string line; std::getline(page, line);) {
    std::istringstream cells(line);
    std::vector<std::string> words;
    for (std::string cell; std::getline(cells, cell, '|');) words.push_back(cell);
    if (words.size() < 2 || words[1].find(".vtrace") == std::string::npos) continue;
    const std::string name = words[1].substr(2, words[1].rfind('`') - 2);
    const ProgramResult result = policies({samples + name, "--format", "markdown"});
    std::string expected = "| `" + name + "` |";
    std::istringstream output(result.output);
    for (std::string row; std::getline(output, row);) {
      const std::string peak = ": peak requested ";
      if (const std::size_t at = row.find(peak); at != std::string::npos)
        expected += " " + row.substr(at + peak.size()) + " |";
      if (!row.starts_with("| ") || row.starts_with("| policy")) continue;
      const std::size_t reserved = row.find('|', 1) + 1;
      expected += row.substr(reserved, row.find('|', reserved) + 1 - reserved);
    }
    EXPECT_EQ(line, expected);
    ++rows;
  }
  EXPECT_GE(rows, 8U);
}

}  // namespace
}  // namespace vramlab::tests
