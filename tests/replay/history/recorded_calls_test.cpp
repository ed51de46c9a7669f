#include "replay/history/recorded_calls.h"

#include <gtest/gtest.h>

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
  for (const RecordedCall& call : cut_into_calls(history)) kinds.push_back(call.kind);
  return kinds;
}

using Kinds = std::vector<RecordedCallKind>;
using enum RecordedCallKind;

TEST(RecordedCalls, take_a_free_and_its_completion_together) {
  const auto history = history_of({{Action::free_requested, 1}, {Action::free_completed, 1}});
  EXPECT_EQ(kinds_of(history), Kinds{free});
  EXPECT_EQ(cut_into_calls(history).front().end, 2U);
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
  EXPECT_EQ(cut_into_calls(history).front().end, 3U);
}

TEST(RecordedCalls, see_an_emptied_cache_where_no_request_follows) {
  EXPECT_EQ(kinds_of(history_of({{Action::segment_free, 1},
                                 {Action::free_requested, 2},
                                 {Action::free_completed, 2},
                                 {Action::segment_free, 3}})),
            (Kinds{release, free, release}));
}

TEST(RecordedCalls, pass_over_markers) {
  EXPECT_EQ(kinds_of(history_of({{Action::snapshot, 0}, {Action::alloc, 1}})), Kinds{request});
}

}  // namespace
}  // namespace vramlab::replay
