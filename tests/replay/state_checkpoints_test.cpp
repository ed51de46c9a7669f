// States found from checkpoints: the same however far checkpoints are apart, and the same as
// following the recording with the engine up to there.
#include "replay/state_checkpoints.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "replay/recorded_states.h"
#include "tests/support/case_history.h"
#include "tests/support/random_numbers.h"

namespace vramlab::tests {
namespace {

using allocator::Snapshot;
using replay::StateCheckpoints;

/// What free blocks were asked for last is left out.
Snapshot without_leftovers(Snapshot snapshot) {
  for (allocator::SnapshotSegment& segment : snapshot.segments)
    for (allocator::SnapshotBlock& block : segment.blocks)
      if (block.state == allocator::BlockState::inactive) block.requested = {};
  return snapshot;
}

class CheckpointsOfCase : public testing::TestWithParam<const char*> {
 protected:
  /// From the middle on too, as recordings that began late have it.
  void load(bool is_late) {
    recorded = bundled_case(GetParam());
    const std::size_t all = recorded.expected.trace.size();
    history = history_of(recorded, is_late ? all / 2 : 0);
    history.settings = replay::settings_value(recorded.program.config, texts);
    settings = recorded_settings(history, texts, *recorded.program.version).settings;
    explained.emplace(
        replay::explain(device(), {*recorded.program.version, false,
                                   recorded_settings(history, texts, *recorded.program.version)}));
  }
  const replay::DeviceHistory& device() const { return history.devices.front(); }
  StateCheckpoints every(std::size_t interval) const {
    return {device(), *explained, settings, interval};
  }
  std::size_t end_of_call(std::size_t event) const {
    for (const replay::RecordedCall& call : explained->calls)
      if (event < call.end) return call.end - 1;
    return event;
  }

  traces::RecordedCase recorded;
  traces::TextTable texts;
  replay::RecordedHistory history;
  allocator::Settings settings;
  std::optional<replay::ExplainedHistory> explained;
};

TEST_P(CheckpointsOfCase, seeking_gives_what_walking_from_the_start_gives) {
  for (const bool is_late : {false, true}) {
    load(is_late);
    const std::size_t count = device().events.size();
    const StateCheckpoints walked = every(count);
    EXPECT_EQ(walked.checkpoint_count(), 1U);
    RandomNumbers numbers(7);
    for (const std::size_t interval : {1UL, 7UL, 100UL}) {
      const StateCheckpoints checkpoints = every(interval);
      EXPECT_EQ(checkpoints.checkpoint_count(), (count + interval - 1) / interval);
      for (int i = 0; i < 40; ++i) {
        const std::size_t event = numbers.below(count);
        EXPECT_EQ(checkpoints.after(event), walked.after(event)) << event << ", " << interval;
      }
    }
  }
}

TEST_P(CheckpointsOfCase, a_state_is_what_following_with_the_engine_shows) {
  for (const bool is_late : {false, true}) {
    load(is_late);
    const StateCheckpoints checkpoints = every(64);
    RandomNumbers numbers(11);
    for (int i = 0; i < 6; ++i) {
      const std::size_t event = end_of_call(numbers.below(device().events.size()));
      const replay::RecordedStates found = recorded_states(history, texts, recorded.program.version,
                                                           {replay::MomentKind::event, event});
      ASSERT_EQ(found.states.size(), 1U);
      // Settings that changed on the way, or garbage collected: the engine parts from the
      // recording.
      if (!found.doubts.empty()) continue;
      EXPECT_EQ(without_leftovers(checkpoints.snapshot_after(event)),
                without_leftovers(found.states.front().snapshot))
          << "event " << event << (is_late ? ", begun late" : "");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Recorded, CheckpointsOfCase,
                         testing::Values("train-1065", "streams-1115", "pools-1122", "oom-1097",
                                         "exptoggle-1013", "gc-1101", "small-1164", "options-1146",
                                         "trainvar-1105", "v212-pressure-2032", "v212-train-2016"),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace vramlab::tests
