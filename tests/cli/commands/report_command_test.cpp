// `vramlab report` from outside; tests/web/report tries the page in a browser.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/kit/command_test.h"
#include "tests/support/kit/memory_source.h"
#include "tests/support/kit/page_runs.h"
#include "traces/io/byte_source.h"

namespace vramlab::tests {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class ReportCommand : public FolderTest {};

TEST_F(ReportCommand, writes_one_page_that_needs_nothing_else) {
  const std::string page = in_folder("out.html");
  const ProgramResult result = run_vramlab({"report", training, "-o", page});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_EQ(result.output, "");
  const std::string text = content_of(page);
  EXPECT_THAT(text, HasSubstr("default-src 'none'"));
  EXPECT_THAT(text, HasSubstr("Leon Sorokin"));
  for (const char* outside : {"src=\"http", "href=\"http", "url(http", "@import"})
    EXPECT_THAT(text, Not(HasSubstr(outside)));
  ASSERT_EQ(runs_of_page(text).size(), 1U);
}

TEST_F(ReportCommand, says_the_peaks_that_replay_says) {
  for (const char* sample : {"training.vtrace", "serving.vtrace.jsonl", "graphs.vtrace.jsonl"}) {
    const std::string page = in_folder(sample + std::string(".html"));
    run_vramlab({"report", samples + sample, "-o", page});
    const json replay = json::parse(run_vramlab({"replay", samples + sample, "--json"}).output);
    const json run = runs_of_page(content_of(page)).at(0);
    EXPECT_EQ(run["origin"], "replayed");
    ASSERT_EQ(run["devices"].size(), replay["devices"].size());
    for (std::size_t i = 0; i < run["devices"].size(); ++i) {
      const json& shown = run["devices"][i];
      EXPECT_EQ(shown["peak_allocated"]["allocated"],
                replay["devices"][i]["peak_allocated"]["bytes"]);
      EXPECT_EQ(shown["peak_reserved"]["reserved"], replay["devices"][i]["peak_reserved"]["bytes"]);
      EXPECT_EQ(shown["blocks_unlike_file_at_end"], 0) << sample;
    }
  }
}

TEST_F(ReportCommand, shows_each_file_and_each_choice_of_options) {
  const std::string page = in_folder("out.html");
  run_vramlab({"report", training, leak, "--conf", "expandable_segments:True", "--conf",
               "max_split_size_mb:64", "-o", page});
  std::vector<std::string> titles;
  for (const json& run : runs_of_page(content_of(page))) titles.push_back(run["title"]);
  EXPECT_THAT(titles,
              testing::ElementsAre("training.vtrace", "training.vtrace, expandable_segments:True",
                                   "training.vtrace, max_split_size_mb:64", "leak.vtrace",
                                   "leak.vtrace, expandable_segments:True",
                                   "leak.vtrace, max_split_size_mb:64"));
}

TEST_F(ReportCommand, a_recording_is_shown_as_it_is) {
  const std::string recording = in_folder("out.pickle");
  run_vramlab({"replay", leak, "--snapshot-out", recording});
  const std::string page = in_folder("out.html");
  EXPECT_EQ(run_vramlab({"report", recording, "-o", page}).exit_status, 0);
  const json run = runs_of_page(content_of(page)).at(0);
  EXPECT_EQ(run["origin"], "recorded");
  EXPECT_EQ(run["title"], "as recorded");
  EXPECT_EQ(run["devices"][0]["blocks_unlike_file_at_end"], 0);
}

TEST_F(ReportCommand, keeps_a_long_history_within_bounds) {
  const std::string trace = in_folder("out.vtrace");
  // A little more than the table of events may have (replay::ReportLimits).
  run_vramlab({"generate", "training", "--layers", "1", "--events", "240000", "-o", trace});
  const std::string page = in_folder("out.html");
  EXPECT_EQ(run_vramlab({"report", trace, "-o", page}).exit_status, 0);
  EXPECT_LE(std::filesystem::file_size(page), 20'000'000U);
  const json device = runs_of_page(content_of(page)).at(0)["devices"][0];
  EXPECT_GT(device["events_per_stretch"], 1);
  EXPECT_LT(device["events"]["index"][2], device["events_total"]);
  EXPECT_LE(device["moments"]["step"][2], 100'000);
}

TEST_F(ReportCommand, writes_the_same_bytes_again) {
  const std::string one = in_folder("1.html");
  const std::string other = in_folder("2.html");
  for (const std::string& page : {one, other})
    run_vramlab({"report", samples + "experts.vtrace", "-o", page});
  EXPECT_EQ(content_of(one), content_of(other));
}

TEST_F(ReportCommand, says_what_it_wrote_as_json) {
  const std::string page = in_folder("out.html");
  const json told = json::parse(
      run_vramlab({"report", leak, "--conf", "expandable_segments:True", "--json", "-o", page})
          .output);
  EXPECT_EQ(told["schema_version"], 1);
  EXPECT_EQ(told["output"], page);
  EXPECT_EQ(told["bytes"], std::filesystem::file_size(page));
  ASSERT_EQ(told["runs"].size(), 2U);
  EXPECT_EQ(told["runs"][0]["options"], nullptr);
  EXPECT_EQ(told["runs"][1]["options"], "expandable_segments:True");
}

TEST_F(ReportCommand, overwrites_only_when_told) {
  const std::string page = in_folder("out.html");
  std::ofstream(page) << "mine";
  const ProgramResult result = run_vramlab({"report", leak, "-o", page});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.errors, HasSubstr("--force"));
  EXPECT_EQ(content_of(page), "mine");
}

TEST_F(ReportCommand, reads_standard_input_once) {
  const std::string page = in_folder("out.html");
  const std::string input = content_of(samples + "overlap.vtrace.jsonl");
  EXPECT_EQ(run_vramlab({"report", "-", "-o", page}, input).exit_status, 0);
  EXPECT_EQ(runs_of_page(content_of(page)).size(), 1U);
  EXPECT_EQ(run_vramlab({"report", "-", "--conf", "", "-o", page, "--force"}, input).exit_status,
            0);
  EXPECT_EQ(runs_of_page(content_of(page)).size(), 2U);
  const ProgramResult twice = run_vramlab({"report", "-", "-", "-o", page, "--force"}, input);
  EXPECT_EQ(twice.exit_status, 2);
  EXPECT_THAT(twice.errors, HasSubstr("read once"));
}

TEST_F(ReportCommand, bad_input_leaves_no_page) {
  const std::string page = in_folder("out.html");
  const ProgramResult missing = run_vramlab({"report", "nothing.pickle", "-o", page});
  EXPECT_EQ(missing.exit_status, 2);
  EXPECT_THAT(missing.errors, HasSubstr("nothing.pickle"));
  const ProgramResult refused =
      run_vramlab({"report", leak, "--conf", "no_such_option:1", "-o", page});
  EXPECT_EQ(refused.exit_status, 2);
  EXPECT_THAT(refused.errors, HasSubstr("no_such_option"));
  EXPECT_FALSE(std::filesystem::exists(page));
}

}  // namespace
}  // namespace vramlab::tests
