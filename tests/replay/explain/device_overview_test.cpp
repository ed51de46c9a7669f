// Overviews: what a replay shows of each device, and the events of failed requests in words.
#include "replay/explain/device_overview.h"

#include <gtest/gtest.h>

#include "tests/support/kit/program_file.h"
#include "tests/support/kit/text_program.h"
#include "tests/support/recordings/replayed.h"

namespace vramlab::replay {
namespace {

using support::malloc_line;
using support::mebibyte;

DeviceOverview failed_at(const std::vector<std::uint64_t>& events, std::uint64_t failures) {
  DeviceOverview overview;
  overview.failures = failures;
  overview.failed_events = events;
  return overview;
}

TEST(DeviceOverviews, name_the_events_of_failed_requests) {
  EXPECT_EQ(failed_events_text(failed_at({841}, 1)), "event 841");
  EXPECT_EQ(failed_events_text(failed_at({841, 1003}, 2)), "events 841 and 1003");
  EXPECT_EQ(failed_events_text(failed_at({1, 2, 3}, 3)), "events 1, 2 and 3");
  EXPECT_EQ(failed_events_text(failed_at({1, 2, 3, 4}, 9)), "events 1, 2, 3, 4 and 5 more");
}

TEST(DeviceOverviews, of_a_replay_have_its_peaks_and_failures) {
  const support::ProgramFile file("overview_test",
                                  malloc_line(1, 40 * mebibyte) + malloc_line(2, 80 * mebibyte));
  tests::Replayed replayed(file.path());
  const auto whole = replayed_overviews_of(replayed.recording(), replayed.replayer(), {});
  ASSERT_EQ(whole.size(), 1U);
  EXPECT_EQ(whole.front().failures, 0U);
  EXPECT_EQ(whole.front().metric("peak_allocated"), Bytes{120 * mebibyte});
  ReplayConditions small;
  small.memory = Bytes{100 * mebibyte};
  const auto limited = replayed_overviews_of(replayed.recording(), replayed.replayer(), small);
  EXPECT_EQ(limited.front().failed_events, std::vector<std::uint64_t>{1});
  EXPECT_TRUE(is_worse(limited.front(), whole.front()));
}

TEST(DeviceOverviews, the_worst_has_a_failure_or_reserves_most) {
  DeviceOverview small;
  small.metrics = {{"peak_reserved", 10}};
  DeviceOverview large;
  large.metrics = {{"peak_reserved", 20}};
  EXPECT_EQ(worst_of({small, large})->metric("peak_reserved"), Bytes{20});
  small.failures = 1;
  EXPECT_EQ(worst_of({small, large})->failures, 1U);
  EXPECT_EQ(worst_of({}), nullptr);
}

}  // namespace
}  // namespace vramlab::replay
