#include <gtest/gtest.h>

#include "replay/recording/recorded_calls.h"

namespace vramlab::replay {
namespace {

using allocator::Action;

DeviceHistory history_of(std::initializer_list<std::pair<Action, std::uint64_t>> events) {
  DeviceHistory history;
  history.traits.requests_frees = true;
  for (const auto& [action, address] : events)
    history.events.push_back({action, {address}, {512}, {}, {}, 0});
  return history;
}

std::vector<RecordedCallKind> kinds_of(const DeviceHistory& history) {
  std::vector<RecordedCallKind> kinds;
  for (const RecordedCall& call : cut_into_calls(history, room_of(history)))
    kinds.push_back(call.kind);
  return kinds;
}

using Kinds = std::vector<RecordedCallKind>;
using enum RecordedCallKind;

TEST(RecordedCalls, take_a_free_and_its_completion_together) {
  const auto history = history_of({{Action::free_requested, 1}, {Action::free_completed, 1}});
  EXPECT_EQ(kinds_of(history), Kinds{free});
  EXPECT_EQ(cut_into_calls(history, room_of(history)).front().end, 2U);
}

TEST(RecordedCalls, see_a_free_that_waits_by_another_event_behind_it) {
  EXPECT_EQ(kinds_of(history_of({{Action::free_requested, 1},
                                 {Action::alloc, 2},
                                 {Action::free_completed, 1},
                                 {Action::alloc, 3}})),
            (Kinds{free_later, request, request}));
}

TEST(RecordedCalls, give_a_request_all_that_it_set_off) {
  const auto history = history_of({{Action::segment_free, 1},
                                   {Action::segment_alloc, 2},
                                   {Action::alloc, 2},
                                   {Action::oom, 9}});
  EXPECT_EQ(kinds_of(history), (Kinds{request, request}));
  EXPECT_EQ(cut_into_calls(history, room_of(history)).front().end, 3U);
}

TEST(RecordedCalls, see_an_emptied_cache_where_no_request_follows) {
  EXPECT_EQ(kinds_of(history_of({{Action::segment_free, 1},
                                 {Action::free_requested, 2},
                                 {Action::free_completed, 2},
                                 {Action::segment_free, 3}})),
            (Kinds{release, free, release}));
}

struct StackedEvent {
  Action action;
  std::uint64_t address = 0;
  std::uint32_t stack = 0;
};

DeviceHistory with_stacks(std::initializer_list<StackedEvent> events) {
  DeviceHistory history;
  history.traits.requests_frees = true;
  for (const StackedEvent& event : events) {
    history.events.push_back({event.action, {event.address}, {512}, {}, {}, 0});
    history.stacks.push_back({event.stack});
  }
  return history;
}

TEST(RecordedCalls, give_a_release_with_the_stack_of_the_request_to_the_request) {
  const auto history = with_stacks({{Action::segment_free, 1, 7},
                                    {Action::segment_free, 2, 7},
                                    {Action::segment_alloc, 3, 7},
                                    {Action::alloc, 3, 7}});
  EXPECT_EQ(kinds_of(history), Kinds{request});
  EXPECT_EQ(cut_into_calls(history, room_of(history)).front().origin, ReleaseOrigin::by_stacks);
}

TEST(RecordedCalls, see_a_call_of_its_own_in_a_release_with_another_stack) {
  EXPECT_EQ(
      kinds_of(with_stacks(
          {{Action::segment_free, 1, 6}, {Action::segment_alloc, 3, 7}, {Action::alloc, 3, 7}})),
      (Kinds{release, request}));
  EXPECT_EQ(kinds_of(with_stacks({{Action::segment_free, 1}, {Action::alloc, 3, 7}})),
            (Kinds{release, request}));
}

// Stacks of allocations only: an emptied cache shows those that its blocks had before.
TEST(RecordedCalls, see_one_call_in_releases_with_old_stacks) {
  const auto history = with_stacks({{Action::segment_free, 1},
                                    {Action::segment_free, 2, 7},
                                    {Action::segment_alloc, 3, 7},
                                    {Action::alloc, 3, 7}});
  EXPECT_EQ(kinds_of(history), (Kinds{release, request}));
  EXPECT_EQ(cut_into_calls(history, room_of(history)).front().end, 2U);
}

TEST(RecordedCalls, part_releases_where_frees_have_stacks_of_their_own) {
  const auto history = with_stacks({{Action::alloc, 9, 3},
                                    {Action::free_requested, 9, 4},
                                    {Action::free_completed, 9, 4},
                                    {Action::segment_free, 1, 5},
                                    {Action::segment_free, 2, 7},
                                    {Action::segment_alloc, 3, 7},
                                    {Action::alloc, 3, 7}});
  EXPECT_EQ(kinds_of(history), (Kinds{request, free, release, request}));
  EXPECT_EQ(cut_into_calls(history, room_of(history))[2].end, 4U);
}

// The stack of a request is empty in a thread that runs no Python.
TEST(RecordedCalls, see_a_call_of_its_own_before_a_request_with_an_empty_stack) {
  const auto history =
      with_stacks({{Action::segment_free, 1, 6}, {Action::segment_alloc, 3}, {Action::alloc, 3}});
  EXPECT_EQ(kinds_of(history), (Kinds{release, request}));
}

TEST(RecordedCalls, leave_open_whose_release_without_a_stack_is_if_the_request_has_none) {
  const auto history = with_stacks({{Action::alloc, 9, 3},
                                    {Action::segment_free, 1},
                                    {Action::segment_alloc, 3},
                                    {Action::alloc, 3}});
  EXPECT_EQ(kinds_of(history), (Kinds{request, request}));
  EXPECT_EQ(cut_into_calls(history, room_of(history))[1].origin, ReleaseOrigin::guessed);
}

/// Its last request gets 512 bytes beside 512 others, as much as was reserved at the peak.
DeviceHistory asked_again() {
  return history_of({{Action::segment_alloc, 1},
                     {Action::segment_alloc, 2},
                     {Action::alloc, 1},
                     {Action::segment_free, 2},
                     {Action::segment_alloc, 3},
                     {Action::alloc, 3},
                     {Action::segment_free, 3},
                     {Action::free_requested, 1},
                     {Action::segment_alloc, 4},
                     {Action::alloc, 4}});
}

TEST(RecordedCalls, know_that_there_was_room_if_as_much_was_reserved_at_the_peak) {
  const auto history = asked_again();
  const RecordedCalls calls = cut_into_calls(history, room_of(history));
  ASSERT_EQ(calls.size(), 5U);
  EXPECT_FALSE(calls[1].had_room) << "both segments and the new one were never there at once";
  EXPECT_TRUE(calls[4].had_room);
}

TEST(RecordedCalls, know_that_a_noted_memory_fraction_leaves_no_room) {
  auto history = asked_again();
  traces::NotedCall half;
  half.kind = traces::ProgramEventKind::memory_fraction;
  half.fraction = 0.5;
  half.device_memory = {2046};
  half.before = 8;
  history.noted_calls = {half};
  EXPECT_FALSE(cut_into_calls(history, room_of(history)).back().had_room) << "1,023 bytes";
  history.noted_calls.front().before = 9;
  EXPECT_TRUE(cut_into_calls(history, room_of(history)).back().had_room) << "set later";
  history.noted_calls.front().before = 8;
  history.noted_calls.front().device_memory = {2048};
  EXPECT_TRUE(cut_into_calls(history, room_of(history)).back().had_room) << "1,024 bytes";
}

TEST(RecordedCalls, pass_over_markers) {
  EXPECT_EQ(kinds_of(history_of({{Action::snapshot, 0}, {Action::alloc, 1}})), Kinds{request});
}

/// Calls of one event each.
class EmptyingRhythmTest : public testing::Test {
 protected:
  void ask(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) add(RecordedCallKind::request);
  }
  void empty_cache() {
    emptied_.push_back(calls_.size());
    add(RecordedCallKind::release);
  }
  void add(RecordedCallKind kind) {
    const std::size_t first = calls_.size();
    calls_.push_back({.kind = kind, .first = first, .end = first + 1});
  }
  std::vector<std::size_t> missing() const { return missing_in_rhythm(calls_, emptied_); }

  RecordedCalls calls_;
  std::vector<std::size_t> emptied_;
};

using Events = std::vector<std::size_t>;

TEST_F(EmptyingRhythmTest, misses_a_beat_between_two_others) {
  ask(50);
  empty_cache();
  ask(40);
  ask(20);
  const std::size_t missed = calls_.size() - 20;
  ask(20);
  for (int i = 0; i < 2; ++i) {
    empty_cache();
    ask(40);
  }
  empty_cache();
  EXPECT_EQ(missing(), Events{missed});
}

TEST_F(EmptyingRhythmTest, is_none_if_a_step_is_no_multiple_of_the_shortest) {
  for (const std::size_t count : {40, 80, 40, 41, 40, 40}) {
    ask(count);
    empty_cache();
  }
  EXPECT_EQ(missing(), Events{});
}

TEST_F(EmptyingRhythmTest, is_none_if_most_beats_are_missing) {
  for (const std::size_t count : {40, 120, 40, 160, 40, 40}) {
    ask(count);
    empty_cache();
  }
  EXPECT_EQ(missing(), Events{});
}

TEST_F(EmptyingRhythmTest, is_none_if_steps_are_short) {
  for (const std::size_t count : {5, 5, 10, 5, 5, 5}) {
    ask(count);
    empty_cache();
  }
  EXPECT_EQ(missing(), Events{});
}

}  // namespace

}  // namespace vramlab::replay
