// A recording that began when memory was reserved already: the answers say so first, and refuse
// where there is nothing to judge by.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "tests/support/kit/command_test.h"

namespace vramlab::tests {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class LateRecording : public FolderTest {
 protected:
  /// The last entries of a replay of the sample.
  std::string last_entries(const std::string& count) const {
    std::string file = in_folder("last" + count + ".pickle");
    EXPECT_EQ(run_vramlab({"replay", leak, "--snapshot-out", file, "--history", count}).exit_status,
              0);
    return file;
  }
};

TEST_F(LateRecording, is_answered_with_the_share_that_was_reserved_before) {
  const std::string file = last_entries("600");
  for (const char* command : {"advise", "capacity"}) {
    const std::string output = run_vramlab({command, file}).output;
    std::string sentence = output.substr(output.find('\n') + 1);
    sentence = sentence.substr(0, sentence.find(". "));
    std::ranges::replace(sentence, '\n', ' ');
    EXPECT_THAT(sentence, HasSubstr("were reserved before the first event")) << command;
    EXPECT_THAT(output, HasSubstr("odelled")) << command;
  }
  const json advice = run_json({"advise", file});
  EXPECT_EQ(advice.at("trust"), "modelled");
  EXPECT_EQ(advice.at("late_starts").size(), 1U);
  EXPECT_TRUE(advice.at("requested_anew").is_object());
  EXPECT_TRUE(run_json({"advise", leak}).at("requested_anew").is_null());
}

TEST_F(LateRecording, has_its_modelled_peak_on_lines_of_their_own) {
  const std::string output = run_vramlab({"capacity", last_entries("600")}).output;
  const std::size_t remark = output.find("\n    (modelled: ");
  ASSERT_NE(remark, std::string::npos) << output;
  EXPECT_LE(output.find('\n', remark + 1) - remark, 101U) << output;
}

TEST_F(LateRecording, is_exact_from_its_first_event_on_where_later_memory_tells_settings_apart) {
  const std::string whole = support::source_dir() + "/tests/truth/lategraph_200.pickle.gz";
  const std::string file = in_folder("last80.pickle");
  ASSERT_EQ(run_vramlab({"replay", whole, "--snapshot-out", file, "--history", "80"}).exit_status,
            0);
  const std::string output = run_vramlab({"explain", file}).output;
  ASSERT_THAT(output, HasSubstr("were reserved before the recording began\n"));
  EXPECT_THAT(output, HasSubstr("exact from the first recorded event on"));
}

TEST_F(LateRecording, is_explained_under_other_options_with_one_peak_and_the_reason_for_doubt) {
  const std::string file = last_entries("600");
  const std::vector<std::string> question = {"explain", file, "--conf", "max_split_size_mb:64"};
  const json answer = run_json(question).at("answer");
  EXPECT_EQ(answer.at("held_bytes"), answer.at("metrics").at("peak_allocated"));
  EXPECT_EQ(answer.at("trust"), "modelled");
  EXPECT_THAT(run_vramlab(question).output,
              HasSubstr("modelled: memory from before the recording"));
}

TEST_F(LateRecording, is_never_the_worst_file_where_it_holds_all_its_memory_before) {
  const std::string late = last_entries("600");
  const json sweep = run_json({"sweep", leak, late, "--conf", "expandable_segments:True"});
  const json& row = sweep.at("rows").at(0);
  ASSERT_EQ(row.at("files").at(1).at("can_be_judged"), false);
  EXPECT_EQ(row.at("worst_file"), leak);
}

TEST_F(LateRecording, without_a_request_is_refused) {
  const std::string file = last_entries("1");
  for (std::vector<std::string> command : {std::vector<std::string>{"advise", file},
                                           {"capacity", file},
                                           {"sweep", file, "--conf", ""},
                                           {"sweep", leak, file, "--conf", ""}})
    expect_refused(command, "expected requests for memory");
}

}  // namespace
}  // namespace vramlab::tests
