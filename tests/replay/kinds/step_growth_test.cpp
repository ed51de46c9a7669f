// Memory that grows from step to step.
#include "replay/kinds/step_growth.h"

#include <gtest/gtest.h>

#include "tests/support/recordings/written_run.h"

namespace vramlab::replay {
namespace {

using traces::Phase;

constexpr std::uint64_t mebibyte = 1 << 20;

/// A run of steps, of which each requests memory in the forward of a layer and keeps some of it.
class Steps {
 public:
  /// A forward, a backward that frees what was saved, and a step that frees its own scratch.
  void pass(std::uint64_t kept_bytes) {
    run_.begin(Phase::forward, 1);
    run_.request(saved, 5 * mebibyte);
    if (kept_bytes > 0) run_.request(next_ += 64 * mebibyte, kept_bytes);
    run_.begin(Phase::backward);
    run_.free(saved, 5 * mebibyte);
    step();
  }
  void step() {
    run_.begin(Phase::step);
    run_.request(scratch, mebibyte);
    run_.free(scratch, mebibyte);
    run_.begin(Phase::other);
  }
  /// In the first step, as states.
  void request(std::uint64_t bytes) { run_.request(next_ += 64 * mebibyte, bytes); }

  std::optional<StepGrowth> growth() const {
    RecordingKinds kinds;
    kinds.names = {"", "layers.3.mlp"};
    kinds.devices.emplace(0, run_.found());
    return find_step_growth(run_.history, nullptr, kinds);
  }

 private:
  static constexpr std::uint64_t saved = mebibyte;
  static constexpr std::uint64_t scratch = 32 * mebibyte;
  tests::WrittenRun run_;
  std::uint64_t next_ = 64 * mebibyte;
};

TEST(StepGrowth, names_what_each_step_keeps) {
  Steps steps;
  for (int i = 0; i < 3; ++i) steps.pass(2 * mebibyte);
  const auto growth = steps.growth();
  ASSERT_TRUE(growth);
  EXPECT_EQ(growth->rounds, 2U);
  EXPECT_EQ(growth->steps_in_round, 1U);
  EXPECT_EQ(growth->bytes, Bytes{2 * mebibyte});
  ASSERT_EQ(growth->parts.size(), 1U);
  EXPECT_EQ(growth->parts[0].name, "activations of layers.*.mlp");
  EXPECT_EQ(growth->parts[0].bytes, Bytes{2 * mebibyte});
}

TEST(StepGrowth, steps_that_keep_nothing_do_not_grow) {
  Steps steps;
  steps.request(8 * mebibyte);
  for (int i = 0; i < 6; ++i) steps.pass(0);
  EXPECT_FALSE(steps.growth());
}

TEST(StepGrowth, memory_that_only_some_steps_keep_is_no_growth) {
  Steps steps;
  for (int i = 0; i < 8; ++i) steps.pass(i < 3 || i == 6 ? 2 * mebibyte : 0);
  EXPECT_FALSE(steps.growth());
}

TEST(StepGrowth, a_loss_for_each_step_is_no_growth) {
  Steps steps;
  for (int i = 0; i < 6; ++i) steps.pass(512);
  EXPECT_FALSE(steps.growth());
}

TEST(StepGrowth, two_steps_are_too_few) {
  Steps steps;
  for (int i = 0; i < 2; ++i) steps.pass(2 * mebibyte);
  EXPECT_FALSE(steps.growth());
}

TEST(StepGrowth, optimizers_that_step_together_make_one_step) {
  Steps steps;
  for (int i = 0; i < 4; ++i) {
    steps.pass(2 * mebibyte);
    steps.step();
  }
  const auto growth = steps.growth();
  ASSERT_TRUE(growth);
  EXPECT_EQ(growth->bytes, Bytes{2 * mebibyte});
}

TEST(StepGrowth, optimizers_may_take_turns) {
  Steps steps;
  for (int i = 0; i < 4; ++i) {
    steps.pass(2 * mebibyte);
    steps.pass(0);
  }
  const auto growth = steps.growth();
  ASSERT_TRUE(growth);
  EXPECT_EQ(growth->steps_in_round, 2U);
  EXPECT_EQ(growth->bytes, Bytes{2 * mebibyte});
}

}  // namespace
}  // namespace vramlab::replay
