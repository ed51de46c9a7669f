// Explanations of programs: a failed request, a peak, and a replay under conditions that were
// asked.
#include "replay/explain/explanation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/kit/program_file.h"
#include "tests/support/kit/text_program.h"
#include "tests/support/recordings/replayed.h"
#include "traces/io/input_error.h"

namespace vramlab::replay {
namespace {

using support::free_line;
using support::malloc_line;
using support::mebibyte;

std::vector<SweepRow> rows_of(const Replayer& replayer, const std::vector<AskedSetting>& settings,
                              const ReplayConditions& conditions) {
  std::vector<SweepRow> rows;
  for (const AskedSetting& setting : settings) {
    ReplayConditions own = conditions;
    if (!setting.is_recorded) own.options = setting.conf;
    SweepRow& row = rows.emplace_back(SweepRow{setting.conf, setting.is_recorded, {}, {}});
    row.files.push_back(figures_of(replayer.file(), replayer.figures(own)));
  }
  return rows;
}

class Explained {
 public:
  explicit Explained(const std::string& lines, const std::string& header = "")
      : file_("explanation_test", lines, header),
        recording_(traces::open_trace(file_.path()), {}) {}

  Explanation ask(const ExplainQuestion& question = {}) {
    return explain(recording_, question, rows_of, {});
  }
  Explanation ask_under(const ReplayConditions& conditions) {
    ExplainQuestion question;
    question.under = conditions;
    return ask(question);
  }

 private:
  support::ProgramFile file_;
  Recording recording_;
};

/// 100 MiB are reserved and free again before 60 MiB are allocated in smaller blocks.
std::string two_peaks() {
  std::string lines = malloc_line(1, 40 * mebibyte) + malloc_line(2, 60 * mebibyte);
  lines += free_line(1) + free_line(2);
  for (std::uint64_t id = 3; id < 6; ++id) lines += malloc_line(id, 50 * mebibyte);
  return lines;
}

ReplayConditions with_memory(std::uint64_t mebibytes) {
  ReplayConditions conditions;
  conditions.memory = Bytes{mebibytes * mebibyte};
  return conditions;
}

TEST(Explanations, of_a_peak_name_holders_and_the_smallest_gpu) {
  const Explanation found = Explained(two_peaks()).ask();
  EXPECT_FALSE(found.failure);
  EXPECT_EQ(found.held, Bytes{150 * mebibyte});
  EXPECT_EQ(found.overview.metric("peak_allocated"), found.held);
  ASSERT_TRUE(found.smallest_gpu);
  EXPECT_NE(found.smallest_gpu->gpu, nullptr);
  EXPECT_TRUE(found.smallest_gpu->runs_through);
}

TEST(Explanations, of_conditions_that_were_asked_explain_their_replay) {
  Explained program(two_peaks());
  const Explanation failed = program.ask_under(with_memory(120));
  ASSERT_TRUE(failed.failure);
  EXPECT_TRUE(failed.is_replayed);
  EXPECT_EQ(failed.failure->asked(), Bytes{50 * mebibyte});
  EXPECT_EQ(failed.failure->memory, Bytes{120 * mebibyte});
  ASSERT_TRUE(failed.failure->least_memory);
  EXPECT_GE(*failed.failure->least_memory, Bytes{150 * mebibyte});
  const Explanation roomy = program.ask_under(with_memory(1000));
  EXPECT_FALSE(roomy.failure);
  EXPECT_EQ(roomy.held, Bytes{150 * mebibyte});
}

TEST(Explanations, under_asked_options_compare_with_these) {
  Explained program(two_peaks());
  ReplayConditions conditions;
  conditions.options = "expandable_segments:True";
  const Explanation found = program.ask_under(conditions);
  EXPECT_EQ(found.options, "expandable_segments:True");
  EXPECT_TRUE(found.has_asked_options);
  ASSERT_TRUE(found.advice);
  EXPECT_EQ(found.advice->recorded_peak_reserved, found.overview.metric("peak_reserved"));
}

TEST(Explanations, keep_recorded_options_that_are_best) {
  Explained program(two_peaks(), R"(,"settings":"expandable_segments:True")");
  const Explanation found = program.ask();
  ASSERT_TRUE(found.advice);
  EXPECT_EQ(found.advice->conf, "expandable_segments:True");
  EXPECT_EQ(found.advice->saved(), Bytes{});
}

/// Three blocks of 50 MiB take 160 MiB in units of 20 MiB, and 150 MiB in segments of their own.
TEST(Explanations, try_expandable_segments_off_where_they_are_on) {
  std::string lines;
  for (std::uint64_t id = 1; id < 4; ++id) lines += malloc_line(id, 50 * mebibyte);
  Explained program(lines, R"(,"settings":"expandable_segments:True")");
  EXPECT_FALSE(program.ask_under(with_memory(160)).failure);
  const Explanation failed = program.ask_under(with_memory(155));
  ASSERT_TRUE(failed.failure);
  ASSERT_NE(failed.failure->passing(), nullptr);
  EXPECT_EQ(failed.failure->passing()->options, "expandable_segments:False");
}

TEST(Explanations, try_nothing_where_all_is_live) {
  const Explanation failed = Explained(two_peaks()).ask_under(with_memory(145));
  ASSERT_TRUE(failed.failure);
  EXPECT_FALSE(failed.failure->can_a_setting_help());
  EXPECT_TRUE(failed.failure->tried.empty());
}

TEST(Explanations, of_a_replay_refuse_events_of_a_recording) {
  ExplainQuestion question;
  question.event = 0;
  EXPECT_THROW(Explained(two_peaks()).ask(question), traces::InputError);
}

}  // namespace
}  // namespace vramlab::replay
