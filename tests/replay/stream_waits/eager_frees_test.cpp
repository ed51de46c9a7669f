// The memory that a program would have needed if no free had waited.
#include "replay/stream_waits/recorded_waiting.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "replay/recording/recorded_states.h"
#include "tests/support/recordings/case_history.h"
#include "tests/support/recordings/replayed.h"

namespace vramlab::replay {
namespace {

using allocator::Action;
using allocator::Bytes;

/// Summed up entry by entry, from one on: memory counts until it is given back, or until it is free
/// again.
Bytes slow_peak_requested(const DeviceHistory& whole, Action end, std::size_t first) {
  Bytes now;
  Bytes peak;
  for (std::size_t i = 0; i < whole.events.size(); ++i) {
    if (i == first) peak = now;
    if (whole.events[i].action == Action::alloc) now += whole.events[i].size;
    if (whole.events[i].action == end) now -= whole.events[i].size;
    peak = std::max(peak, now);
  }
  return peak;
}

/// Cases in which frees waited and no request failed.
class EagerCase : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    recorded = tests::bundled_case(GetParam());
    whole = tests::history_of(recorded);
  }
  const DeviceHistory& events() const { return whole.devices.front(); }

  EagerFrees replay_from(std::size_t first) {
    RecordedHistory history = tests::history_of(recorded, first);
    history.settings = settings_value(recorded.program.config, tables.texts);
    const tests::Replayed replayed(history, tables, recorded.program.version);
    return replay_eagerly(replayed.replayer()).devices.at(0);
  }

  traces::RecordedCase recorded;
  RecordedHistory whole;
  traces::SnapshotTables tables;
};

TEST_P(EagerCase, reaches_the_recorded_peaks_with_frees_as_recorded) {
  const EagerFrees frees = replay_from(0);
  EXPECT_TRUE(frees.is_exact());
  EXPECT_EQ(frees.as_recorded.requested, slow_peak_requested(events(), Action::free_completed, 0));
}

TEST_P(EagerCase, needs_what_is_left_when_memory_counts_until_it_is_given_back) {
  const EagerFrees frees = replay_from(0);
  EXPECT_EQ(frees.eager.requested, slow_peak_requested(events(), Action::free_requested, 0));
  EXPECT_EQ(frees.eager.active, frees.eager.allocated);
}

TEST_P(EagerCase, counts_what_waited_when_the_recording_began_as_free) {
  for (std::size_t first = 1; first < events().events.size(); first += 41) {
    SCOPED_TRACE(first);
    // A completed free that comes first may have waited or not.
    while (events().events[first].action == Action::free_completed) ++first;
    const EagerFrees frees = replay_from(first);
    EXPECT_EQ(frees.as_recorded.requested,
              slow_peak_requested(events(), Action::free_completed, first));
    EXPECT_EQ(frees.eager.requested, slow_peak_requested(events(), Action::free_requested, first));
  }
}

INSTANTIATE_TEST_SUITE_P(Bundled, EagerCase,
                         testing::Values("trainstream-1034", "streams-1115", "trainstream-1072",
                                         "v212-streams-2009", "v212-streams-2028",
                                         "v212-trainstream-2021", "v212-pools-2005"));

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
  device.final_segments = {segment};
  traces::SnapshotTables tables;
  const tests::Replayed replayed(history, tables);
  const EagerFrees frees = replay_eagerly(replayed.replayer()).devices.at(0);
  EXPECT_EQ(frees.as_recorded.requested.count, 6000U);
  EXPECT_EQ(frees.eager.requested.count, 1000U);
  EXPECT_EQ(frees.eager.active.count, 1024U);
}

}  // namespace
}  // namespace vramlab::replay
