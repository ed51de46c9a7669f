// The cost of waiting frees: known cases, and random histories summed up entry by entry. And
// releases of cached memory while frees waited.
#include "replay/stream_waits/waiting_frees.h"

#include <gtest/gtest.h>

#include "replay/recording/recorded_states.h"
#include "replay/stream_waits/recorded_waiting.h"
#include "tests/support/recordings/case_history.h"
#include "tests/support/recordings/replayed.h"
#include "tests/support/recordings/waiting_program.h"

namespace vramlab::replay {
namespace {

using namespace allocator::literals;
using allocator::Action;
using allocator::Address;
using allocator::Bytes;
using tests::WaitingProgram;

constexpr Address a{0x1000};
constexpr Address b{0x9000};

DeviceHistory history_of(std::vector<allocator::AllocatorEvent> events) {
  DeviceHistory history;
  history.traits.requests_frees = true;
  history.events = std::move(events);
  return history;
}

allocator::SnapshotSegment segment_with_waiting(Address address, Bytes size, Bytes requested) {
  allocator::SnapshotSegment segment;
  segment.stream = {7};
  segment.blocks = {{address, size, requested, allocator::BlockState::active_pending_free}};
  return segment;
}

TEST(WaitingCost, counts_a_free_that_waited_with_its_bytes_time_and_entries) {
  const WaitingCost cost = waiting_cost(history_of({{Action::alloc, a, 3_MiB, {5}, {}, 10},
                                                    {Action::free_requested, a, 3_MiB, {5}, {}, 20},
                                                    {Action::alloc, b, 1_KiB, {}, {}, 30},
                                                    {Action::free_completed, a, 3_MiB, {5}, {}, 60},
                                                    {Action::alloc, a, 1_KiB, {}, {}, 90}}));
  EXPECT_EQ(cost.totals.count, 1U);
  EXPECT_EQ(cost.totals.bytes, 3_MiB);
  EXPECT_EQ(cost.totals.byte_time, (ByteTime{125, 829120}));  // 3 MiB x 40 us
  EXPECT_EQ(Bytes{cost.totals.byte_events}, 6_MiB);
  EXPECT_EQ(cost.peak, 3_MiB);
  EXPECT_EQ(cost.peak_at, (WaitMoment{1, 20}));
  EXPECT_EQ(cost.wait_us, (WaitSpread{40, 40, 40}));
  EXPECT_EQ(cost.wait_events, (WaitSpread{2, 2, 2}));
  EXPECT_EQ(cost.span_us, 80U);
  ASSERT_EQ(cost.streams.size(), 1U);
  EXPECT_EQ(cost.streams.front().stream.value, 5U);
  EXPECT_EQ(cost.counts.contradictions, 0U);
}

TEST(WaitingCost, leaves_out_a_free_that_is_completed_at_once) {
  const WaitingCost cost =
      waiting_cost(history_of({{Action::alloc, a, 1_MiB, {}, {}, 1},
                               {Action::free_requested, a, 1_MiB, {}, {}, 2},
                               {Action::free_completed, a, 1_MiB, {}, {}, 9}}));
  EXPECT_EQ(cost.totals.count, 0U);
  EXPECT_EQ(cost.counts.immediate_frees, 1U);
  EXPECT_EQ(cost.peak, 0_B);
}

TEST(WaitingCost, counts_what_waited_when_the_history_began_from_its_first_entry_on) {
  const WaitingCost cost = waiting_cost(history_of(
      {{Action::alloc, b, 1_KiB, {}, {}, 100}, {Action::free_completed, a, 1000_B, {}, {}, 1100}}));
  EXPECT_EQ(cost.at_beginning.count, 1U);
  EXPECT_EQ(cost.totals.byte_time, (ByteTime{1, 0}));
  EXPECT_EQ(cost.peak, 1000_B);
  EXPECT_FALSE(cost.wait_us.has_value());
  ASSERT_EQ(cost.sites.size(), 1U);
  EXPECT_FALSE(cost.sites.front().alloc_stack.has_value());
  EXPECT_FALSE(cost.sites.front().free_stack.has_value());
}

TEST(WaitingCost, takes_a_completed_free_as_the_first_entry_for_no_wait) {
  const WaitingCost cost = waiting_cost(history_of(
      {{Action::free_completed, a, 1_MiB, {}, {}, 1}, {Action::alloc, b, 1_MiB, {}, {}, 2}}));
  EXPECT_EQ(cost.totals.count, 0U);
}

TEST(WaitingCost, counts_what_the_final_segments_show_as_waiting_to_the_last_entry) {
  DeviceHistory history = history_of({{Action::alloc, b, 1_KiB, {}, {}, 0},
                                      {Action::free_requested, b, 1_KiB, {}, {}, 4},
                                      {Action::alloc, {0x20000}, 1_KiB, {}, {}, 10}});
  history.final_segments = {segment_with_waiting(a, 1024_B, 1000_B),
                            segment_with_waiting(b, 2_KiB, 1_KiB)};
  const WaitingCost cost = waiting_cost(history);
  EXPECT_EQ(cost.totals.count, 2U);
  EXPECT_EQ(cost.at_beginning.count, 1U);
  EXPECT_EQ(cost.at_end.count, 2U);
  EXPECT_EQ(cost.totals.byte_time, (ByteTime{0, 1000 * 10 + 1024 * 6}));
  EXPECT_EQ(cost.peak, 2024_B);
  EXPECT_EQ(cost.final_blocks, 2U);
  EXPECT_EQ(cost.final_bytes, 3_KiB);
  EXPECT_EQ(cost.counts.contradictions, 0U);
}

TEST(WaitingCost, counts_in_entries_where_they_have_no_time) {
  DeviceHistory history = history_of({{Action::alloc, a, 100_B, {}, {}, 0},
                                      {Action::free_requested, a, 100_B, {}, {}, 7},
                                      {Action::alloc, b, 1_KiB, {}, {}, 0},
                                      {Action::free_completed, a, 100_B, {}, {}, 9}});
  history.traits.lacks_time = true;
  const WaitingCost cost = waiting_cost(history);
  EXPECT_FALSE(cost.span_us.has_value());
  EXPECT_FALSE(cost.wait_us.has_value());
  EXPECT_EQ(cost.totals.byte_time, ByteTime{});
  EXPECT_EQ(cost.totals.byte_events, 200U);
  EXPECT_EQ(cost.wait_events, (WaitSpread{2, 2, 2}));
  ASSERT_EQ(cost.held.size(), 3U);
  EXPECT_EQ(cost.held[0].most, 0_B);
  EXPECT_EQ(cost.held[1].most, 100_B);
  EXPECT_EQ(cost.held[2].most, 100_B);
}

TEST(WaitingCost, takes_a_time_that_goes_back_for_the_one_before) {
  const WaitingCost cost =
      waiting_cost(history_of({{Action::free_requested, a, 1000_B, {}, {}, 5000},
                               {Action::alloc, b, 1_KiB, {}, {}, 10},
                               {Action::free_completed, a, 1000_B, {}, {}, 6000}}));
  EXPECT_EQ(cost.totals.byte_time, (ByteTime{1, 0}));
}

TEST(WaitingCost, ends_a_wait_where_its_address_is_handed_out_again_and_says_so) {
  const WaitingCost cost = waiting_cost(history_of({{Action::free_requested, a, 1000_B, {}, {}, 0},
                                                    {Action::alloc, a, 1_KiB, {}, {}, 10},
                                                    {Action::alloc, b, 1_KiB, {}, {}, 90}}));
  EXPECT_EQ(cost.counts.contradictions, 1U);
  EXPECT_EQ(cost.totals.byte_time, (ByteTime{0, 10'000}));
}

TEST(WaitingCost, says_that_a_wait_without_an_end_contradicts_final_segments_that_know_none) {
  DeviceHistory history = history_of(
      {{Action::free_requested, a, 1_KiB, {}, {}, 0}, {Action::alloc, b, 1_KiB, {}, {}, 10}});
  history.final_segments = {segment_with_waiting(b, 1_KiB, 1_KiB)};
  EXPECT_EQ(waiting_cost(history).counts.contradictions, 1U);
}

TEST(WaitingCost, knows_nothing_where_the_history_has_frees_without_requests) {
  DeviceHistory history = history_of({{Action::alloc, a, 1_KiB, {}, {}, 0},
                                      {Action::alloc, b, 1_KiB, {}, {}, 1},
                                      {Action::free_completed, a, 1_KiB, {}, {}, 10}});
  history.traits.requests_frees = false;
  const WaitingCost cost = waiting_cost(history);
  EXPECT_FALSE(cost.is_known);
  EXPECT_EQ(cost.totals.count, 0U);
}

TEST(WaitingCost, of_an_empty_history_is_nothing_but_what_finally_waits) {
  DeviceHistory history;
  history.final_segments = {segment_with_waiting(a, 1_KiB, 1_KiB)};
  const WaitingCost cost = waiting_cost(history);
  EXPECT_EQ(cost.totals.count, 0U);
  EXPECT_EQ(cost.final_bytes, 1_KiB);
}

/// The cost entry by entry, from facts that the maker of the history knows.
struct SlowSum {
  __extension__ using Wide = unsigned __int128;
  Wide byte_us = 0;
  std::uint64_t byte_events = 0;
  Bytes peak;
  std::map<std::uint64_t, Wide> by_stream;
  std::map<std::pair<std::int64_t, std::int64_t>, Wide> by_site;

  SlowSum(const WaitingProgram& program, std::size_t first) {
    const auto& events = program.history.events;
    for (std::size_t i = first; i < events.size(); ++i) {
      Bytes held;
      const bool is_last = i + 1 == events.size();
      const std::uint64_t us = is_last ? 0 : events[i + 1].time_us - events[i].time_us;
      for (const auto& [address, free] : program.waiting_after[i]) {
        held += free.bytes;
        const Wide cost = Wide{free.bytes.count} * us;
        by_stream[free.stream.value] += cost;
        by_site[{stack(program, free.alloc_event, first),
                 stack(program, free.free_event, first)}] += cost;
        byte_us += cost;
      }
      if (!is_last) byte_events += held.count;
      peak = std::max(peak, held);
    }
  }
  static std::int64_t stack(const WaitingProgram& program, std::size_t event, std::size_t first) {
    return event < first ? -1 : static_cast<std::int64_t>(program.history.stacks[event].value);
  }
};

SlowSum::Wide wide(const ByteTime& held) {
  return SlowSum::Wide{held.byte_seconds} * 1'000'000 + held.rest;
}

std::int64_t number_of(const std::optional<traces::StackId>& stack) {
  return stack ? static_cast<std::int64_t>(stack->value) : -1;
}

void expect_same(const WaitingCost& cost, const SlowSum& slow) {
  EXPECT_TRUE(wide(cost.totals.byte_time) == slow.byte_us);
  EXPECT_EQ(cost.totals.byte_events, slow.byte_events);
  EXPECT_EQ(cost.peak, slow.peak);
  EXPECT_EQ(cost.counts.contradictions, 0U);
  Bytes highest;
  for (const HeldStep& step : cost.held) highest = std::max(highest, step.most);
  EXPECT_EQ(highest, slow.peak);
  for (const WaitingStream& stream : cost.streams) {
    const auto found = slow.by_stream.find(stream.stream.value);
    EXPECT_TRUE(wide(stream.totals.byte_time) ==
                (found == slow.by_stream.end() ? 0 : found->second));
  }
  for (const WaitingSite& site : cost.sites) {
    const auto found = slow.by_site.find({number_of(site.alloc_stack), number_of(site.free_stack)});
    EXPECT_TRUE(wide(site.totals.byte_time) == (found == slow.by_site.end() ? 0 : found->second));
  }
  for (std::size_t i = 1; i < cost.sites.size(); ++i)
    EXPECT_FALSE(is_costlier(cost.sites[i].totals, cost.sites[i - 1].totals));
}

TEST(WaitingCost, of_whole_random_histories_is_the_sum_over_their_entries) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    const WaitingProgram program = tests::random_waiting_program(seed, 10 + seed);
    expect_same(waiting_cost(program.history), SlowSum(program, 0));
  }
}

TEST(WaitingCost, of_random_histories_that_began_late_is_the_sum_over_the_entries_left) {
  std::uint64_t waiting_at_beginning = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    const WaitingProgram program = tests::random_waiting_program(seed, 30 + seed);
    std::size_t first = seed % program.history.events.size();
    // A completed free that comes first may have waited or not.
    while (program.history.events[first].action == Action::free_completed) ++first;
    const WaitingCost cost = waiting_cost(tests::begun_at(program, first));
    expect_same(cost, SlowSum(program, first));
    waiting_at_beginning += cost.at_beginning.count;
  }
  EXPECT_GT(waiting_at_beginning, 100U);
}

// Releases of cached memory while frees waited.

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
  Recording recording = tests::recording_of(history, tables, recorded.program.version);
  const RecordedWaiting waiting = find_waiting(recording);
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
