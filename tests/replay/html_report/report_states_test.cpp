// Moments and states of an HTML report: no peak is lost in thinned moments, and the states read
// from the bytes are those of the walk, at any step.
#include "replay/html_report/report_states.h"

#include <gtest/gtest.h>

#include "replay/html_report/report_timeline.h"
#include "replay/recording/recorded_states.h"
#include "tests/support/kit/random_numbers.h"
#include "tests/support/kit/report_reader.h"
#include "tests/support/recordings/case_history.h"
#include "tests/support/recordings/replayed.h"

namespace vramlab::replay {
namespace {

using allocator::Bytes;
using tests::bundled_case;
using tests::history_of;
using tests::RandomNumbers;
using tests::ReportStateReader;

/// Keeps every moment and every state.
class FullWalk : public FollowedBlocks {
 public:
  using FollowedBlocks::FollowedBlocks;
  std::vector<MomentFigures> moments;
  std::map<HistoryStep, allocator::Snapshot> states;

 private:
  void moment_passed(const MomentFigures& figures, const PlacementBlocks& blocks) override {
    moments.push_back(figures);
    states[figures.step] = snapshot_of(blocks, *this, walk().pools);
  }
};

class ReportOfCase : public ::testing::TestWithParam<const char*> {
 protected:
  ReportOfCase()
      : recorded(bundled_case(GetParam())),
        recording(history_of(recorded)),
        history(recording.devices.front()),
        conditions{*recorded.program.version, false, settings()},
        walk(walk_history(history, conditions)),
        full(history, walk) {
    watch_placements(history, walk, full);
  }
  SettingsInForce settings() {
    recording.settings = settings_value(recorded.program.config, tables.texts);
    return recorded_settings(recording, tables.texts, *recorded.program.version);
  }

  traces::RecordedCase recorded;
  traces::SnapshotTables tables;
  RecordedHistory recording;
  const DeviceHistory& history;
  VerifyConditions conditions;
  HistoryWalk walk;
  FullWalk full;
};

using Figure = Bytes (*)(const MomentFigures&);
constexpr Figure figures[] = {
    [](const MomentFigures& m) { return m.allocated; },
    [](const MomentFigures& m) { return m.requested; },
    [](const MomentFigures& m) { return m.waiting(); },
    [](const MomentFigures& m) { return m.reserved; },
    [](const MomentFigures& m) { return m.free(); },
    [](const MomentFigures& m) { return m.largest_free; },
};

std::pair<Bytes, Bytes> lowest_and_highest(const std::vector<MomentFigures>& moments, Figure figure,
                                           HistoryStep from, HistoryStep until) {
  std::pair<Bytes, Bytes> found{Bytes{~std::uint64_t{0}}, {}};
  for (const MomentFigures& moment : moments) {
    if (moment.step < from || moment.step >= until) continue;
    found.first = std::min(found.first, figure(moment));
    found.second = std::max(found.second, figure(moment));
  }
  return found;
}

TEST_P(ReportOfCase, keeps_the_peaks_of_every_stretch_when_it_is_thinned) {
  for (const std::size_t wanted : {8U, 40U, 200U}) {
    ThinnedMoments thinned(history.events.size(), wanted);
    for (const MomentFigures& moment : full.moments) thinned.add(moment);
    const std::uint64_t width = thinned.events_per_stretch();
    const std::vector<MomentFigures> kept = thinned.take();
    EXPECT_LE(kept.size(), 13 * (history.events.size() / width + 1));
    for (HistoryStep from = 0; from <= history.events.size(); from += width)
      for (const Figure figure : figures)
        EXPECT_EQ(lowest_and_highest(kept, figure, from, from + width),
                  lowest_and_highest(full.moments, figure, from, from + width))
            << "steps from " << from << ", " << width << " together";
    for (const MomentFigures& moment : kept)
      EXPECT_TRUE(std::ranges::find(full.moments, moment) != full.moments.end());
  }
}

TEST_P(ReportOfCase, keeps_every_moment_where_there_are_few) {
  ThinnedMoments thinned(history.events.size(), history.events.size() + 1);
  for (const MomentFigures& moment : full.moments) thinned.add(moment);
  EXPECT_EQ(thinned.take(), full.moments);
}

TEST_P(ReportOfCase, gives_back_the_states_of_the_walk) {
  for (const std::uint64_t most_changes : {1'000'000U, 3'000U, 100U}) {
    PageTexts texts(tables);
    ReportDetail detail(
        history, walk, texts, {},
        {choose_steps(full.moments.back().step, 50, most_changes, {}), {}, {}, {}, {}, {}, {}});
    watch_placements(history, walk, detail);
    const ReportStates& states = detail.states();
    ASSERT_GE(states.steps().size(), 2U);
    ReportStateReader reader(states);
    RandomNumbers random(most_changes);
    for (int i = 0; i < 60; ++i) {
      const std::size_t at = random.below(states.steps().size());
      SCOPED_TRACE("step " + std::to_string(states.steps()[at]));
      EXPECT_EQ(reader.blocks_at(at), tests::blocks_of(full.states.at(states.steps()[at])));
    }
  }
}

/// The engine, following the recording, has the same state, if no call is in doubt.
TEST_P(ReportOfCase, has_the_states_that_following_the_recording_has) {
  RandomNumbers random(7);
  Recording opened = tests::recording_of(recording, tables, recorded.program.version);
  for (int i = 0; i < 12; ++i) {
    const std::uint64_t event = random.below(history.events.size());
    const RecordedStates found = recorded_states(opened, {MomentKind::event, event});
    ASSERT_EQ(found.states.size(), 1U);
    const HistoryStep step = found.states.front().history.size();
    if (!full.states.contains(step)) continue;
    SCOPED_TRACE("event " + std::to_string(event));
    EXPECT_EQ(tests::blocks_of(full.states.at(step)),
              tests::blocks_of(found.states.front().snapshot));
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, ReportOfCase,
                         ::testing::Values("churn-1054", "train-1065", "streams-1076",
                                           "pressure-1062", "pools-1122", "oversize-1010",
                                           "v212-streams-2009", "v212-train-2016"),
                         [](const auto& named) {
                           std::string name = named.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(ChosenSteps, are_all_of_a_short_history) {
  EXPECT_EQ(choose_steps(5, 100, 1000, {}), (std::vector<HistoryStep>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(choose_steps(0, 0, 1000, {}), std::vector<HistoryStep>{0});
}

TEST(ChosenSteps, of_a_long_history_cost_no_more_than_they_may) {
  const std::vector<HistoryStep> steps = choose_steps(10'000'000, 500, 900'000, {77, 9'999'999});
  EXPECT_LE(steps.size() * 2 * 500, 900'000U + 2 * 2 * 500);
  EXPECT_GE(steps.size(), 800U);
  EXPECT_EQ(steps.front(), 0U);
  EXPECT_EQ(steps.back(), 10'000'000U);
  EXPECT_TRUE(std::ranges::binary_search(steps, 77U));
  EXPECT_TRUE(std::ranges::binary_search(steps, 9'999'999U));
}

}  // namespace
}  // namespace vramlab::replay
