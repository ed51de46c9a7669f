// States of recordings at a moment, held against the engine that ran the same program, and against
// verification: a recording that ended there would have been exact.
#include "replay/recording/recorded_states.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "replay/metrics/fragmentation.h"
#include "tests/support/recordings/case_history.h"
#include "tests/support/recordings/replayed.h"

namespace vramlab::replay {
namespace {

using allocator::Action;
using allocator::AllocatorEvent;
using tests::bundled_case;
using tests::history_of;

class StateOfCase : public ::testing::TestWithParam<const char*> {
 protected:
  StateOfCase() : recorded(bundled_case(GetParam())), history(history_of(recorded)) {
    history.settings = settings_value(recorded.program.config, tables.texts);
  }
  DeviceState state_at(const Moment& moment) {
    Recording recording = tests::recording_of(history, tables, recorded.program.version);
    RecordedStates found = recorded_states(recording, moment);
    EXPECT_TRUE(found.doubts.empty());
    EXPECT_EQ(found.states.size(), 1U);
    return std::move(found.states.front());
  }

  traces::RecordedCase recorded;
  traces::SnapshotTables tables;
  RecordedHistory history;
};

TEST_P(StateOfCase, is_one_that_verification_finds_exact) {
  const std::size_t count = history.devices.front().events.size();
  for (const std::size_t event : {count / 5, count / 3, count / 2, count * 3 / 4}) {
    SCOPED_TRACE("event " + std::to_string(event));
    DeviceState state = state_at({MomentKind::event, event});
    RecordedHistory until = history;
    ASSERT_GE(state.history.size(), event + 1);
    until.devices.front().events = state.history;
    until.devices.front().final_segments = state.snapshot.segments;
    const DeviceFidelity fidelity = tests::fidelity_of(until, recorded);
    EXPECT_EQ(fidelity.label, FidelityLabel::exact);
    EXPECT_TRUE(fidelity.final_blocks.is_full());
  }
}

TEST_P(StateOfCase, after_the_last_event_is_the_recorded_one) {
  const DeviceState last = state_at({MomentKind::event, history.devices.front().events.size() - 1});
  EXPECT_EQ(last.snapshot.segments.size(), recorded.expected.final_snapshot.segments.size());
  EXPECT_EQ(state_at({MomentKind::end}).snapshot, recorded.expected.final_snapshot);
}

std::uint64_t allocated_in(const DeviceState& state) {
  std::uint64_t taken = 0;
  for (const auto& segment : state.snapshot.segments) taken += segment.allocated_size.count;
  return taken;
}

TEST_P(StateOfCase, at_the_peak_is_the_first_after_which_blocks_take_most) {
  std::uint64_t highest = 0;
  std::optional<std::uint64_t> first;
  for (std::uint64_t event = 0; event < history.devices.front().events.size(); ++event) {
    if (history.devices.front().events[event].action != Action::alloc) continue;
    const std::uint64_t taken = allocated_in(state_at({MomentKind::event, event}));
    if (taken <= highest) continue;
    highest = taken;
    first = event;
  }
  const DeviceState peak = state_at({MomentKind::peak});
  EXPECT_EQ(allocated_in(peak), highest);
  ASSERT_TRUE(peak.moment.has_value());
  EXPECT_EQ(peak.moment->event, first);
}

TEST_P(StateOfCase, at_the_peak_of_reserved_memory_has_all_that_was_ever_reserved) {
  const DeviceState state = state_at({MomentKind::peak_reserved});
  std::uint64_t reserved = 0;
  for (const auto& segment : state.snapshot.segments) reserved += segment.total_size.count;
  EXPECT_EQ(reserved, replay::peak_reserved_of(history.devices.front())->count);
}

INSTANTIATE_TEST_SUITE_P(Recorded, StateOfCase,
                         ::testing::Values("train-1065", "streams-1115", "pools-1122", "oom-1097",
                                           "v212-pressure-2032"),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

/// A recording that shows only that memory is given back.
RecordedHistory only_frees() {
  RecordedHistory history;
  DeviceHistory& device = history.devices.emplace_back();
  allocator::SnapshotSegment segment;
  segment.address = {1 << 21};
  segment.total_size = {1 << 21};
  segment.blocks = {{segment.address, segment.total_size, {}, allocator::BlockState::inactive}};
  device.final_segments = {segment};
  for (const std::uint64_t block : {0U, 1U})
    for (const Action action : {Action::free_requested, Action::free_completed}) {
      AllocatorEvent event;
      event.action = action;
      event.address = segment.address + allocator::Bytes{block * 1024};
      event.size = {1024};
      device.events.push_back(event);
    }
  device.traits.requests_frees = true;
  return history;
}

TEST(RecordedState, at_a_peak_before_the_first_event_is_what_was_there_at_the_start) {
  traces::SnapshotTables tables;
  Recording recording = tests::recording_of(only_frees(), tables);
  const RecordedStates found = recorded_states(recording, {MomentKind::peak});
  ASSERT_EQ(found.states.size(), 1U);
  const DeviceState& state = found.states.front();
  EXPECT_FALSE(state.moment.has_value());
  EXPECT_TRUE(state.history.empty());
  ASSERT_EQ(state.snapshot.segments.size(), 1U);
  EXPECT_EQ(state.snapshot.segments.front().allocated_size, allocator::Bytes{2048});
}

TEST(RecordedState, at_the_peak_of_a_file_without_a_history_is_its_end_and_says_so) {
  RecordedHistory history = only_frees();
  history.devices.front().events = {};
  traces::SnapshotTables tables;
  Recording recording = tests::recording_of(std::move(history), tables);
  const RecordedStates found = recorded_states(recording, {MomentKind::peak});
  ASSERT_EQ(found.states.size(), 1U);
  EXPECT_EQ(found.states.front().snapshot.segments.front().allocated_size, allocator::Bytes{});
  ASSERT_EQ(found.doubts.size(), 1U);
  EXPECT_EQ(found.doubts.front(), "device 0: this is the end, the only state in the file");
}

TEST(RecordedState, there_is_none_at_an_event_that_is_not_there) {
  traces::SnapshotTables tables;
  Recording recording = tests::recording_of(history_of(bundled_case("train-1065")), tables);
  EXPECT_TRUE(recorded_states(recording, {MomentKind::event, 1'000'000}).states.empty());
  EXPECT_TRUE(recorded_states(recording, {MomentKind::out_of_memory}).states.empty());
}

TEST(OccupancyMap, shows_what_most_of_each_part_is) {
  allocator::SnapshotSegment segment;
  segment.address = {4096};
  segment.total_size = {8000};
  using allocator::BlockState;
  segment.blocks = {{{4096}, {2000}, {}, BlockState::active_allocated},
                    {{6096}, {2500}, {}, BlockState::inactive},
                    {{8596}, {1500}, {}, BlockState::active_pending_free},
                    {{10096}, {2000}, {}, BlockState::inactive}};
  EXPECT_EQ(occupancy_map(segment, 8), "##..~~..");
  EXPECT_EQ(occupancy_map(segment, 1), ".");
}

}  // namespace
}  // namespace vramlab::replay
