// What a program would have needed if no free had waited.
#include "replay/eager_frees.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "replay/snapshot_values_of.h"
#include "tests/support/case_history.h"

namespace vramlab::replay {
namespace {

using allocator::Action;
using allocator::Bytes;

/// Summed up entry by entry: memory counts until it is given back, or until it is free again.
Bytes slow_peak_requested(const DeviceHistory& history, Action end) {
  Bytes now;
  Bytes peak;
  for (const allocator::AllocatorEvent& event : history.events) {
    if (event.action == Action::alloc) now += event.size;
    if (event.action == end) now -= event.size;
    peak = std::max(peak, now);
  }
  return peak;
}

class EagerCase : public testing::TestWithParam<const char*> {
 protected:
  EagerFrees replay(std::size_t first = 0) {
    const traces::RecordedCase recorded = tests::bundled_case(GetParam());
    history = tests::history_of(recorded, first);
    history.settings = settings_value(recorded.program.config, texts);
    ReplayConditions conditions;
    conditions.version = recorded.program.version;
    conditions.on_out_of_memory = OnOutOfMemory::skip;
    const HistoryReplay replay("case", history, texts, conditions);
    return replay_eagerly(replay).devices.at(0);
  }
  bool has_failures() const {
    return std::ranges::any_of(history.devices.front().events,
                               [](const auto& event) { return event.action == Action::oom; });
  }

  traces::TextTable texts;
  RecordedHistory history;
};

TEST_P(EagerCase, reaches_the_recorded_peaks_with_frees_as_recorded) {
  const EagerFrees frees = replay();
  EXPECT_TRUE(frees.is_exact());
  EXPECT_EQ(frees.as_recorded.requested,
            slow_peak_requested(history.devices.front(), Action::free_completed));
}

TEST_P(EagerCase, needs_what_is_left_when_memory_counts_until_it_is_given_back) {
  const EagerFrees frees = replay();
  ASSERT_FALSE(has_failures());
  const Bytes expected = slow_peak_requested(history.devices.front(), Action::free_requested);
  EXPECT_EQ(frees.eager.requested, expected);
  EXPECT_LT(frees.eager.requested, frees.as_recorded.requested);
  EXPECT_EQ(frees.eager.active, frees.eager.allocated);
}

INSTANTIATE_TEST_SUITE_P(Bundled, EagerCase, testing::Values("v212-streams-2009"));

TEST(EagerFrees, does_not_count_what_waited_at_the_start) {
  // A block waits when the recording begins, and one is live.
  const allocator::Address base{0x7f0000000000};
  RecordedHistory history;
  DeviceHistory& device = history.devices.emplace_back();
  device.traits.requests_frees = true;
  device.events = {{Action::free_requested, base, {1000}, {}, {}, 1},
                   {Action::free_completed, base, {1000}, {}, {}, 2},
                   {Action::free_completed, base + Bytes{1024}, {5000}, {}, {}, 3},
                   {Action::alloc, base, {700}, {}, {}, 4}};
  allocator::SnapshotSegment segment;
  segment.address = base;
  segment.total_size = {2 << 20};
  segment.blocks = {{base, {1024}, {700}, allocator::BlockState::active_allocated},
                    {base + Bytes{1024}, {(2 << 20) - 1024}, {0}, allocator::BlockState::inactive}};
  segment.blocks.front().size = {1024};
  device.final_segments = {segment};
  traces::TextTable texts;
  const HistoryReplay replay("case", history, texts, {});
  const EagerFrees frees = replay_eagerly(replay).devices.at(0);
  EXPECT_EQ(frees.as_recorded.requested.count, 6000U);
  EXPECT_EQ(frees.eager.requested.count, 1000U);
  EXPECT_EQ(frees.eager.active.count, 1024U);
}

}  // namespace
}  // namespace vramlab::replay
