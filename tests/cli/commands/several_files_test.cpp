// Several recordings of one job: advise, capacity, top and replay count the worst, show each, and
// say of a file what they say of it alone.
#include <algorithm>
#include <fstream>
#include <sstream>

#include "tests/support/kit/command_test.h"

namespace vramlab::tests {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

const std::string quiet_rank = samples + "dataloader.vtrace.jsonl";
const std::vector<std::string> ranks = {leak, training, samples + "fragments.vtrace"};

std::vector<std::string> asked_of(std::vector<std::string> words,
                                  const std::vector<std::string>& files) {
  words.insert(words.begin() + 1, files.begin(), files.end());
  return words;
}

/// The document of several files, after comparing its parts with those of each file alone.
json of_each_alone(const std::vector<std::string>& words, const std::vector<std::string>& files) {
  const json all = run_json(asked_of(words, files));
  EXPECT_EQ(all.at("files").size(), files.size());
  for (std::size_t i = 0; i < files.size(); ++i)
    EXPECT_EQ(all.at("files").at(i), run_json(asked_of(words, {files[i]}))) << files[i];
  return all;
}

std::int64_t peak_under(const std::string& file, const std::string& conf) {
  return run_json({"replay", file, "--conf", conf}).at("metrics").at("peak_reserved");
}

std::string line_with(const std::string& name, const std::string& text) {
  const std::size_t at = text.find("\n  " + name);
  return at == std::string::npos ? "" : text.substr(at + 1, text.find('\n', at + 1) - at - 1);
}

TEST(SeveralFiles, replay_shows_the_one_that_reserves_most_and_a_row_for_each) {
  const json all = of_each_alone({"replay"}, ranks);
  EXPECT_EQ(all.at("worst_file"), training);
  const std::string text = run_vramlab(asked_of({"replay"}, ranks)).output;
  EXPECT_THAT(text, StartsWith(training + ", the worst of 3 files\n"));
  for (const char* const name : {"leak.vtrace", "training.vtrace", "fragments.vtrace"})
    EXPECT_NE(line_with(name, text), "") << text;
}

TEST(SeveralFiles, replay_counts_one_that_fails_as_worst) {
  const std::vector<std::string> words = {"replay", "--device-memory", "1GiB", "--fail-on-oom"};
  const std::vector<std::string> files = {quiet_rank, ranks[2]};
  const ProgramResult result = run_vramlab(asked_of(words, files));
  EXPECT_EQ(result.exit_status, 1) << result.errors;
  EXPECT_THAT(result.output, StartsWith(ranks[2] + ", the worst of 2 files\n"));
  EXPECT_THAT(line_with("fragments.vtrace", result.output), HasSubstr("1 failed"));
  EXPECT_THAT(line_with("dataloader.vtrace.jsonl", result.output), testing::EndsWith("no"));
}

TEST(SeveralFiles, top_shows_the_one_that_holds_most_and_a_row_for_each) {
  const json all = of_each_alone({"top", "--limit", "2"}, ranks);
  EXPECT_EQ(all.at("worst_file"), training);
  const std::string text = run_vramlab(asked_of({"top"}, ranks)).output;
  EXPECT_THAT(text, StartsWith(training + ", the worst of 3 files\n"));
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::string site = all.at("files").at(i).at("devices").at(0).at("groups").at(0).at("key");
    const std::string name = ranks[i].substr(samples.size());
    EXPECT_THAT(line_with(name, text), HasSubstr(site));
  }
}

TEST(SeveralFiles, top_finds_the_one_that_grows_most) {
  const json all = of_each_alone({"top", "--growth"}, ranks);
  EXPECT_EQ(all.at("worst_file"), leak);
  EXPECT_THAT(run_vramlab(asked_of({"top", "--growth"}, ranks)).output,
              StartsWith(leak + ", the worst of 3 files\n"));
}

TEST(SeveralFiles, top_folds_stacks_below_the_name_of_their_file) {
  const std::string text = run_vramlab(asked_of({"top", "--folded"}, {leak, training})).output;
  const std::string alone = run_vramlab({"top", leak, "--folded"}).output;
  EXPECT_THAT(text, StartsWith("leak.vtrace;" + alone.substr(0, alone.find('\n')) + "\n"));
  EXPECT_THAT(text, HasSubstr("\ntraining.vtrace;"));
}

TEST(SeveralFiles, capacity_is_what_the_neediest_file_needs) {
  const std::vector<std::string> words = {"capacity", "--replays-above",         "0", "--conf", "",
                                          "--conf",   "expandable_segments:True"};
  const json all = of_each_alone(words, ranks);
  for (std::size_t row = 0; row < 2; ++row) {
    std::int64_t most = 0;
    for (const json& file : all.at("files"))
      most = std::max(most, file.at("rows").at(row).at("least_bytes").get<std::int64_t>());
    EXPECT_EQ(all.at("rows").at(row).at("least_bytes"), most);
    EXPECT_EQ(all.at("rows").at(row).at("worst_file"), training);
  }
  const std::string size =
      std::to_string(all.at("rows").at(0).at("least_bytes").get<std::int64_t>());
  EXPECT_EQ(run_vramlab(
                asked_of({"replay", "--conf", "", "--device-memory", size, "--fail-on-oom"}, ranks))
                .exit_status,
            0);
}

TEST(SeveralFiles, capacity_has_a_row_for_each_in_every_format) {
  const std::vector<std::string> words = {"capacity", "--replays-above", "0"};
  const std::vector<std::string> files = {leak, training};
  const auto printed = [&](const std::string& format) {
    std::vector<std::string> all = asked_of(words, files);
    all.insert(all.end(), {"--format", format});
    return run_vramlab(all).output;
  };
  const std::string text = printed("text");
  EXPECT_THAT(text, StartsWith(leak + " and 1 more; the worst counts"));
  EXPECT_THAT(text, HasSubstr("(training.vtrace"));
  EXPECT_THAT(text, HasSubstr("\nleak.vtrace "));
  EXPECT_THAT(printed("markdown"), HasSubstr("| `leak.vtrace` |"));
  const std::string csv = printed("csv");
  EXPECT_EQ(std::ranges::count(csv, '\n'), 3);
  EXPECT_THAT(csv, HasSubstr("," + training + "\n"));
}

TEST(SeveralFiles, advice_is_judged_by_the_worst_file_and_says_which) {
  const json all = run_json(asked_of({"advise"}, ranks));
  const std::string conf = all.at("conf");
  EXPECT_EQ(all.at("files"), json(ranks));
  EXPECT_EQ(all.at("file"), training);
  EXPECT_EQ(all.at("best").at("worst_file"), training);
  for (std::size_t i = 0; i < ranks.size(); ++i)
    EXPECT_EQ(all.at("best").at("files").at(i).at("peak_reserved"), peak_under(ranks[i], conf));
  EXPECT_EQ(all.at("saves_against_no_options"),
            peak_under(training, "") - peak_under(training, conf));
  const std::string text = run_vramlab(asked_of({"advise"}, ranks)).output;
  EXPECT_THAT(line_with("worst file", text), HasSubstr(training));
  EXPECT_NE(line_with("leak.vtrace", text), "") << text;
}

TEST(SeveralFiles, advice_on_a_file_given_twice_is_that_on_the_file) {
  const json once = run_json({"advise", leak});
  const json twice = run_json({"advise", leak, leak});
  for (const char* const part : {"conf", "runs", "grid_settings", "trust", "live_rounded_bytes",
                                 "best_packing", "reasons", "file"})
    EXPECT_EQ(twice.at(part), once.at(part)) << part;
  EXPECT_EQ(once.at("files"), json({leak}));
}

TEST(SeveralFiles, advice_says_in_which_file_memory_runs_out) {
  const std::string text =
      run_vramlab({"advise", quiet_rank, ranks[2], "--device-memory", "300MiB"}).output;
  EXPECT_THAT(text, HasSubstr("(" + ranks[2] + ")"));
  EXPECT_THAT(line_with("fragments.vtrace", text), HasSubstr("fails at event"));
}

TEST(SeveralFiles, options_about_one_file_refuse_several) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"replay", "--timeline", support::own_folder() + "several.csv"},
           {"replay", "--snapshot-out", support::own_folder() + "several.pickle"},
           {"top", "--device", "0"},
           {"explain", "--device", "0"},
           {"explain", "--at", "3"}})
    expect_refused(asked_of(words, {leak, training}), "expected a single file, found 2");
}

TEST(SeveralFiles, one_that_cannot_be_answered_is_named) {
  expect_refused({"advise", leak, "/nonexistent.pickle"}, "/nonexistent.pickle");
  for (const char* const command : {"info", "capacity", "top", "replay"})
    expect_refused({command, "/nonexistent.pickle", "/nonexistent.pickle"}, "/nonexistent.pickle");
}

TEST(SeveralFiles, a_broken_one_is_named_and_the_others_are_answered_as_without_it) {
  const std::string broken = support::own_folder() + "several_broken.pickle";
  std::ofstream(broken) << "no recording";
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"info", "--json"},
                                             {"capacity", "--replays-above", "0"},
                                             {"capacity", "--replays-above", "0", "--json"},
                                             {"top"},
                                             {"top", "--json"},
                                             {"top", "--growth"},
                                             {"replay"},
                                             {"replay", "--json"}}) {
    SCOPED_TRACE(testing::PrintToString(words));
    const ProgramResult all = run_vramlab(asked_of(words, {leak, broken, training}));
    EXPECT_EQ(all.exit_status, 2);
    EXPECT_THAT(all.errors, HasSubstr(broken + " at byte 0: expected"));
    EXPECT_EQ(std::ranges::count(all.errors, '\n'), 1) << all.errors;
    EXPECT_NE(all.output, "");
    EXPECT_EQ(all.output, run_vramlab(asked_of(words, {leak, training})).output);
    EXPECT_EQ(run_vramlab(asked_of(words, {broken, leak})).exit_status, 2);
  }
}

class SeveralRanks : public FolderTest {};

TEST_F(SeveralRanks, top_answers_for_those_that_ran_out_of_memory_and_notes_the_others) {
  const std::string failed = in_folder("failed.pickle");
  ASSERT_EQ(run_vramlab({"replay", leak, "--device-memory", "300MiB", "--on-oom", "skip",
                         "--snapshot-out", failed, "--quiet"})
                .exit_status,
            0);
  const std::vector<std::string> words = {"top", "--at", "oom"};
  const ProgramResult text = run_vramlab(asked_of(words, {leak, failed, training}));
  EXPECT_EQ(text.exit_status, 0) << text.errors;
  EXPECT_THAT(text.output,
              StartsWith(failed + ", the worst of 3 files\n  note: left out, without a "
                                  "request that failed: "));
  EXPECT_THAT(text.output, HasSubstr("at the first out-of-memory"));
  const json all = run_json(asked_of(words, {leak, failed}));
  EXPECT_EQ(all.at("worst_file"), failed);
  EXPECT_EQ(all.at("files").at(1), run_json({"top", failed, "--at", "oom"}));
  EXPECT_EQ(all.at("files").at(0).at("devices"), json::array());
  EXPECT_EQ(all.at("files").at(0).at("notes").at(0), "expected a request that failed, found none");
  const ProgramResult folded = run_vramlab({"top", leak, failed, "--at", "oom", "--folded"});
  EXPECT_THAT(folded.errors, HasSubstr("left out, without a request that failed: "));
  EXPECT_THAT(folded.output, HasSubstr("failed.pickle;"));
  expect_refused({"top", leak, training, "--at", "oom"}, "expected a request that failed");
}

TEST_F(SeveralRanks, with_long_names_fit_into_100_letters) {
  const std::string long_name = std::string(70, 'r') + ".pickle";
  const std::vector<std::string> files = {write("a_" + long_name, content_of(leak)),
                                          write("b_" + long_name, content_of(training))};
  for (const char* const command : {"info", "top", "replay", "capacity"}) {
    const std::string text = run_vramlab({command, files[0], files[1]}).output;
    const std::string table = text.substr(text.rfind("file  "));
    EXPECT_THAT(table, HasSubstr("a_r")) << text;
    EXPECT_THAT(table, HasSubstr("r ... rr")) << text;
    std::istringstream lines(table);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
  }
}

TEST_F(SeveralRanks, with_long_names_keep_file_and_line_of_their_worst_line) {
  const std::string gpt = samples + "gpt_training.pickle.gz";
  const std::string long_name = std::string(50, 'r');
  const std::vector<std::string> files = {write(long_name + "0.pickle", content_of(gpt)),
                                          write(long_name + "1.trace", content_of(leak))};
  const std::string text = run_vramlab({"info", files[0], files[1]}).output;
  EXPECT_THAT(text, HasSubstr("  model.py:37"));
}

TEST_F(SeveralRanks, with_long_names_stay_told_apart) {
  const std::vector<std::string> files = {
      write("node_0_of_the_long_named_cluster_and_its_rank_7.vtrace", content_of(leak)),
      write("node_1_of_the_long_named_cluster_and_its_rank_7.vtrace", content_of(training))};
  const std::string text = run_vramlab({"info", files[0], files[1]}).output;
  EXPECT_THAT(text, HasSubstr("\nnode_0"));
  EXPECT_THAT(text, HasSubstr("\nnode_1"));
  EXPECT_THAT(text, HasSubstr("rank_7 "));
}

TEST_F(SeveralRanks, lose_the_ending_that_all_have_before_their_names_are_cut) {
  const std::vector<std::string> files = {
      write("varlen_tight_of_words.split200.vtrace", content_of(leak)),
      write("varlen_tight_of_words.expanding.vtrace", content_of(training))};
  const std::string text = run_vramlab({"info", files[0], files[1]}).output;
  EXPECT_THAT(text, HasSubstr("\nvarlen_tight_of_words.split200 "));
  EXPECT_THAT(text, HasSubstr("\nvarlen_tight_of_words.expanding "));
}

class SeveralLists : public FolderTest {};

TEST_F(SeveralLists, of_buffers_are_refused) {
  const std::string list = write("buffers.csv", buffer_list);
  const ProgramResult both = run_vramlab({"capacity", list, leak, "--replays-above", "0"});
  EXPECT_EQ(both.exit_status, 2);
  EXPECT_THAT(both.errors, HasSubstr(list + ": expected a recording or a program"));
  EXPECT_THAT(both.output, StartsWith(leak));
}

}  // namespace
}  // namespace vramlab::tests
