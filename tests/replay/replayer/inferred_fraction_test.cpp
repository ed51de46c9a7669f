// A memory fraction that a recording does not hold, inferred from its garbage collections.
#include <gtest/gtest.h>

#include <algorithm>

#include "replay/replayer/replayer.h"
#include "tests/support/processes/places.h"
#include "tests/support/recordings/replayed.h"

namespace vramlab::replay {
namespace {

/// 0.07 of 80 GiB were allowed, and garbage was collected above half of it.
class InferredFraction : public testing::Test {
 protected:
  const tests::Replayed recording_{support::source_dir() +
                                   "/tests/truth/budget_0.07.gc5.pickle.gz"};
};

bool has_note(const ReplayReport& report, const std::string& part) {
  return std::ranges::any_of(
      report.notes, [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

TEST_F(InferredFraction, lets_a_replay_as_recorded_collect_garbage_as_the_run_did) {
  const ReplayReport report = recording_.run({});
  EXPECT_EQ(report.devices.front().peak_reserved.bytes, Bytes{3705667584});
  EXPECT_TRUE(has_note(report, "a memory fraction is guessed"));
}

TEST_F(InferredFraction, holds_under_other_options) {
  ReplayConditions conditions;
  conditions.options = "garbage_collection_threshold:0.8";
  conditions.on_out_of_memory = OnOutOfMemory::skip;
  EXPECT_LE(recording_.run(conditions).devices.front().peak_reserved.bytes, Bytes{6012954214});
}

TEST_F(InferredFraction, says_nothing_of_another_device) {
  ReplayConditions conditions;
  conditions.memory = Bytes{80ULL << 30};
  const ReplayReport report = recording_.run(conditions);
  EXPECT_GT(report.devices.front().peak_reserved.bytes, Bytes{6012954214});
  EXPECT_TRUE(has_note(report, "give it with --memory-fraction"));
}

}  // namespace
}  // namespace vramlab::replay
