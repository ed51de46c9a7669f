// `vramlab sweep` and `vramlab merge`, run as programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/kit/command_test.h"

namespace vramlab::tests {
namespace {

namespace fs = std::filesystem;

using nlohmann::json;
using testing::HasSubstr;

TEST(SweepCommands, rows_are_what_replays_say_best_first) {
  const json sweep =
      run_json({"sweep", leak, "max_split_size_mb=none|32 expandable_segments=True|False"});
  ASSERT_EQ(sweep.at("rows").size(), 4U);
  std::int64_t before = 0;
  for (const json& row : sweep.at("rows")) {
    EXPECT_GE(row.at("peak_reserved"), before);
    before = row.at("peak_reserved");
    const json replay = run_json({"replay", leak, "--conf", row.at("conf")});
    for (const auto& [name, value] : replay.at("metrics").items())
      EXPECT_EQ(row.at(name), value) << row.at("conf") << " " << name;
  }
}

TEST(SweepCommands, alternatives_may_be_longer_than_a_file_name) {
  std::string grid = "max_split_size_mb=100";
  for (int i = 101; i < 200; ++i) grid += "|" + std::to_string(i);
  EXPECT_EQ(run_json({"sweep", leak, grid}).at("rows").size(), 100U);
}

TEST(SweepCommands, threads_change_nothing) {
  const std::vector<std::string> words = {"sweep", leak, "roundup_power2_divisions=none|2|4|8"};
  std::vector<std::string> one = words;
  one.insert(one.end(), {"-j", "1", "--json"});
  std::vector<std::string> many = words;
  many.insert(many.end(), {"-j", "4", "--json"});
  EXPECT_EQ(run_vramlab(one).output, run_vramlab(many).output);
}

TEST(SweepCommands, the_worst_of_several_recordings_decides) {
  const json sweep = run_json({"sweep", leak, training, "--conf", "expandable_segments:True"});
  const json& row = sweep.at("rows").at(0);
  ASSERT_EQ(row.at("files").size(), 2U);
  EXPECT_EQ(row.at("worst_file"), training);
  EXPECT_EQ(row.at("peak_reserved"), row.at("files").at(1).at("peak_reserved"));
}

TEST(SweepCommands, what_runs_out_of_memory_says_where_and_comes_last) {
  const json sweep = run_json({"sweep", training, "--device-memory", "11500MiB", "--conf", "",
                               "--conf", "expandable_segments:True"});
  const json& rows = sweep.at("rows");
  EXPECT_TRUE(rows.at(0).at("out_of_memory_at").is_null());
  const json replay = run_json({"replay", training, "--device-memory", "11500MiB", "--conf", ""});
  EXPECT_EQ(rows.at(1).at("out_of_memory_at").at("event"), replay.at("stopped_at"));
}

TEST(SweepCommands, combinations_that_the_version_refuses_are_named) {
  const json sweep = run_json({"sweep", leak, "--reference", "2.12",
                               "large_segment_size_mb=none|64 max_split_size_mb=none|32"});
  std::size_t refused = 0;
  for (const json& row : sweep.at("rows"))
    if (!row.at("refused").is_null()) {
      ++refused;
      EXPECT_EQ(row.at("conf"), "large_segment_size_mb:64,max_split_size_mb:32");
      EXPECT_THAT(row.at("refused").get<std::string>(), HasSubstr("at least 64"));
    }
  EXPECT_EQ(refused, 1U);
}

struct WrongSweep {
  std::vector<std::string> words;
  std::string told;
};

TEST(SweepCommands, wrong_usage_is_one_clear_line) {
  const WrongSweep wrong[] = {
      {{leak, "expandible_segments=True"}, "the nearest is expandable_segments"},
      {{leak, "--conf", "max_split_sizemb:64"}, "the nearest is max_split_size_mb"},
      {{leak, "--conf", "max_split_size_mb:20"}, "at least 21"},
      {{leak, "max_split_size_mb=20"}, "at least 21"},
      {{leak, "max_split_size_mb=64|"}, "an empty one"},
      {{leak}, "settings: --conf, --grid or option=a|b"},
      {{"max_split_size_mb=64"}, "a recording to sweep over"},
      {{leak, "--grid", "nothing.txt"}, "nothing.txt"},
      {{leak, "--conf", "", "--device-memory", "0"}, "no device has 0 bytes"},
      {{leak, "--conf", "", "--device-memory", "1MiB"}, "no device has 1048576 bytes"},
      {{leak, "--conf", "", "--device-memory", "2TiB"}, "no device has"},
      {{leak, "--conf", "", "--gpu", "h9000"}, "there is no GPU 'h9000'"},
      {{leak, "--conf", "", "--shard", "3/2"}, "I/N with I from 1 to N"},
      {{leak, "--conf", "", "--shard", "1/2", "--format", "csv"}, "json"},
      {{"nothing.pickle", "--conf", ""}, "nothing.pickle"},
  };
  for (const WrongSweep& sweep : wrong) {
    std::vector<std::string> words = sweep.words;
    words.insert(words.begin(), "sweep");
    const ProgramResult result = run_vramlab(words);
    EXPECT_EQ(result.exit_status, 2) << sweep.told;
    EXPECT_THAT(result.errors, HasSubstr(sweep.told));
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
  }
}

TEST(SweepCommands, tables_come_in_every_format) {
  const std::vector<std::string> words = {
      "sweep", leak, "--conf", "max_split_size_mb:32,expandable_segments:True", "--format"};
  const auto printed = [&words](const std::string& format) {
    std::vector<std::string> all = words;
    all.push_back(format);
    return run_vramlab(all).output;
  };
  EXPECT_THAT(printed("text"), HasSubstr("peak reserved"));
  EXPECT_THAT(printed("markdown"),
              HasSubstr("| `max_split_size_mb:32,expandable_segments:True` |"));
  EXPECT_THAT(printed("csv"),
              HasSubstr("\n\"max_split_size_mb:32,expandable_segments:True\",false,"));
}

using MergeCommands = FolderTest;

TEST_F(MergeCommands, shards_joined_are_the_whole_sweep) {
  const std::string grid = "roundup_power2_divisions=none|2|4|8 expandable_segments=True|False";
  const json whole = run_json({"sweep", leak, grid});
  std::vector<std::string> merge = {"merge"};
  for (const char* index : {"1", "2", "3"}) {
    const std::string file = folder + "/" + index + ".json";
    EXPECT_EQ(run_vramlab({"sweep", leak, grid, "--shard", std::string(index) + "/3", "-o", file})
                  .exit_status,
              0);
    merge.push_back(file);
  }
  EXPECT_EQ(run_json(merge), whole);
}

TEST_F(MergeCommands, missing_and_cut_off_shards_are_found) {
  const std::string grid = "roundup_power2_divisions=none|2|4|8";
  for (const char* index : {"1", "2"})
    run_vramlab({"sweep", leak, grid, "--shard", std::string(index) + "/3", "-o",
                 folder + "/" + index + ".json"});
  const std::string text = content_of(in_folder("2.json"));
  std::ofstream(in_folder("2.json")) << text.substr(0, text.size() / 2);
  const ProgramResult merged = run_vramlab({"merge", in_folder("1.json"), in_folder("2.json")});
  EXPECT_EQ(merged.exit_status, 1);
  EXPECT_THAT(merged.errors, HasSubstr("2 of 3 shards are missing"));
  EXPECT_THAT(merged.errors, HasSubstr("--shard 2/3, --shard 3/3"));
  EXPECT_THAT(merged.errors, HasSubstr("2.json"));
}

TEST_F(MergeCommands, shards_of_another_sweep_are_refused) {
  run_vramlab({"sweep", leak, "--conf", "", "--conf", "max_split_size_mb:32", "--shard", "1/2",
               "-o", in_folder("1.json")});
  run_vramlab({"sweep", training, "--conf", "", "--conf", "max_split_size_mb:32", "--shard", "2/2",
               "-o", in_folder("2.json")});
  const ProgramResult merged = run_vramlab({"merge", in_folder("1.json"), in_folder("2.json")});
  EXPECT_EQ(merged.exit_status, 2);
  EXPECT_THAT(merged.errors, HasSubstr("a shard of the same sweep"));
}

TEST_F(MergeCommands, a_shard_that_is_killed_leaves_no_file) {
  EXPECT_EQ(run_vramlab({"sweep", leak, "--conf", "", "--shard", "1/1", "-o", in_folder("1.json")})
                .exit_status,
            0);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);
  EXPECT_EQ(run_vramlab({"sweep", leak, "--conf", "", "--shard", "1/1", "-o", in_folder("1.json")})
                .exit_status,
            2)
      << "nothing is overwritten";
}

}  // namespace
}  // namespace vramlab::tests
