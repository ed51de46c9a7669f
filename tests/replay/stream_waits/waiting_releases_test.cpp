// Releases of cached memory while frees waited.
#include "replay/stream_waits/waiting_frees.h"

#include <gtest/gtest.h>

#include "replay/recording/snapshot_values_of.h"
#include "replay/stream_waits/recorded_waiting.h"
#include "tests/support/recordings/case_history.h"

namespace vramlab::replay {
namespace {

using namespace allocator::literals;
using allocator::Action;
using allocator::Address;

constexpr Address early_freed{0x1000};
constexpr Address late_freed{0x9000};
constexpr Address segment{0x100000};

std::vector<WaitingRelease> releases_of(const DeviceHistory& history,
                                        const std::set<std::size_t>& emptied) {
  const RecordedCalls calls = cut_into_calls(history, room_of(history));
  WaitingReleases releases(history, calls, emptied);
  walk_waiting_frees(history, releases);
  return releases.take();
}

/// Two frees wait, `completed` of them are completed by a request that then releases a segment.
DeviceHistory history_with_release(int completed) {
  DeviceHistory history;
  history.traits.requests_frees = true;
  history.events = {{Action::free_requested, early_freed, 1_MiB, {}, {}, 10},
                    {Action::free_requested, late_freed, 2_MiB, {}, {}, 20}};
  if (completed > 0)
    history.events.push_back({Action::free_completed, early_freed, 1_MiB, {}, {}, 70});
  if (completed > 1)
    history.events.push_back({Action::free_completed, late_freed, 2_MiB, {}, {}, 90});
  history.events.push_back({Action::segment_free, segment, 20_MiB, {}, {}, 95});
  history.events.push_back({Action::segment_free, segment + 20_MiB, 4_MiB, {}, {}, 96});
  history.events.push_back({Action::alloc, early_freed, 1_MiB, {}, {}, 99});
  return history;
}

TEST(WaitingReleases, says_what_a_release_of_everything_waited_for_and_how_long) {
  const auto found = releases_of(history_with_release(2), {4});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].synchronised);
  EXPECT_EQ(found[0].call_event, 2U);
  EXPECT_EQ(found[0].event, 4U);
  EXPECT_EQ(found[0].completed, 2U);
  EXPECT_EQ(found[0].completed_bytes, 3_MiB);
  EXPECT_EQ(found[0].released, 24_MiB);
  EXPECT_EQ(found[0].shown_us, 25U);
  EXPECT_EQ(found[0].at_most_us, 75U);
}

TEST(WaitingReleases, takes_no_other_release_for_a_wait) {
  const auto found = releases_of(history_with_release(2), {});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_FALSE(found[0].synchronised);
  EXPECT_FALSE(found[0].shown_us.has_value());
}

TEST(WaitingReleases, takes_a_release_after_which_frees_still_wait_for_none) {
  const auto found = releases_of(history_with_release(1), {3});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_FALSE(found[0].synchronised);
  EXPECT_EQ(found[0].completed, 1U);
  EXPECT_EQ(found[0].still_waiting, 1U);
}

TEST(WaitingReleases, claims_no_time_where_entries_have_none) {
  DeviceHistory history = history_with_release(2);
  history.traits.lacks_time = true;
  const auto found = releases_of(history, {4});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].synchronised);
  EXPECT_FALSE(found[0].shown_us.has_value());
  EXPECT_FALSE(found[0].at_most_us.has_value());
}

TEST(WaitingReleases, leaves_out_releases_while_nothing_waits) {
  DeviceHistory history;
  history.traits.requests_frees = true;
  history.events = {{Action::segment_free, segment, 20_MiB, {}, {}, 1},
                    {Action::alloc, early_freed, 1_MiB, {}, {}, 2}};
  EXPECT_TRUE(releases_of(history, {0}).empty());
}

class RecordedCaseWaits : public testing::TestWithParam<const char*> {};

TEST_P(RecordedCaseWaits, are_at_most_as_many_as_the_reference_counted) {
  const traces::RecordedCase recorded = tests::bundled_case(GetParam());
  RecordedHistory history = tests::history_of(recorded);
  traces::SnapshotTables tables;
  history.settings = settings_value(recorded.program.config, tables.texts);
  const RecordedWaiting waiting = find_waiting("case", history, tables, recorded.program.version);
  std::int64_t synchronised = 0;
  for (const WaitingRelease& release : waiting.devices.front().releases)
    if (release.synchronised) ++synchronised;
  EXPECT_LE(synchronised, recorded.expected.final_statistics.num_sync_all_streams);
  EXPECT_GT(waiting.devices.front().cost.totals.count, 0U);
  ASSERT_TRUE(waiting.devices.front().eager.has_value()) << waiting.obstacle;
}
INSTANTIATE_TEST_SUITE_P(Bundled, RecordedCaseWaits,
                         testing::Values("streams-1076", "streams-1115", "v212-streams-2009",
                                         "v212-streams-2028"));

}  // namespace
}  // namespace vramlab::replay
