// Memory that grows from step to step.
#include "replay/kinds/step_growth.h"

#include <gtest/gtest.h>

#include "allocator/types/reference_version.h"
#include "replay/recording/history_checks.h"
#include "tests/support/recordings/written_run.h"

namespace vramlab::replay {
namespace {

using allocator::BlockState;
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

/// A gradient of 4 MiB that gets another cached block in each of three steps: of 4, 4.5 and 5 MiB,
/// as the smaller ones are in use at that moment.
class GradientInCachedBlocks {
 public:
  GradientInCachedBlocks() {
    fill_segment();
    begin_step();
    end_step();
    begin_step();
    run_.request(second, 4 * mebibyte);
    run_.free(first, 4 * mebibyte);
    end_step();
    begin_step();
    run_.request(first, 4 * mebibyte);
    run_.request(third, 4 * mebibyte);
    run_.free(second, 4 * mebibyte);
    run_.free(first, 4 * mebibyte);
    end_step();
    add_final_state();
  }
  const DeviceHistory& history() const { return run_.history; }
  std::optional<StepGrowth> growth() const {
    RecordingKinds kinds;
    kinds.names = {"", "layers.3.mlp"};
    kinds.devices.emplace(0, run_.found());
    const ExplainedHistory walk =
        walk_history(run_.history, {*allocator::find_reference_version("2.6"), false, {}});
    return find_step_growth(run_.history, &walk, kinds);
  }

 private:
  static constexpr std::uint64_t segment = 64 * mebibyte;
  static constexpr std::uint64_t first = segment;
  static constexpr std::uint64_t second = segment + 11 * mebibyte / 2;
  static constexpr std::uint64_t third = segment + 23 * mebibyte / 2;
  static constexpr std::uint64_t scratch = segment + 18 * mebibyte;
  static constexpr std::uint64_t wall = 3 * mebibyte / 2;

  void fill_segment() {
    allocator::AllocatorEvent made;
    made.action = allocator::Action::segment_alloc;
    made.address = {segment};
    made.size = {20 * mebibyte};
    run_.history.events.push_back(made);
    run_.request(first, 4 * mebibyte);
    run_.request(segment + 4 * mebibyte, wall);
    run_.request(second, 9 * mebibyte / 2);
    run_.request(segment + 10 * mebibyte, wall);
    run_.request(third, 5 * mebibyte);
    run_.request(segment + 33 * mebibyte / 2, wall);
    run_.free(second, 9 * mebibyte / 2);
    run_.free(third, 5 * mebibyte);
  }
  void begin_step() {
    run_.begin(Phase::forward, 1);
    use_scratch();
    run_.begin(Phase::backward);
  }
  void end_step() {
    run_.begin(Phase::step);
    use_scratch();
    run_.begin(Phase::other);
  }
  void use_scratch() {
    run_.request(scratch, wall);
    run_.free(scratch, wall);
  }
  void add_final_state() {
    SnapshotSegment& last = run_.history.final_segments.emplace_back();
    last.address = {segment};
    last.total_size = {20 * mebibyte};
    last.kind = allocator::PoolKind::large;
    const auto add = [&](std::uint64_t at, std::uint64_t bytes, std::uint64_t requested) {
      const bool is_free = requested == 0;
      last.blocks.push_back({{at},
                             {bytes},
                             {requested},
                             is_free ? BlockState::inactive : BlockState::active_allocated});
    };
    add(first, 4 * mebibyte, 0);
    add(segment + 4 * mebibyte, wall, wall);
    add(second, 9 * mebibyte / 2, 0);
    add(segment + 10 * mebibyte, wall, wall);
    add(third, 5 * mebibyte, 4 * mebibyte);
    add(segment + 33 * mebibyte / 2, wall, wall);
    add(scratch, 2 * mebibyte, 0);
  }

  tests::WrittenRun run_;
};

TEST(StepGrowth, rests_of_cached_blocks_are_no_growth) {
  const GradientInCachedBlocks run;
  EXPECT_EQ(impossible_part(run.history()), "");
  EXPECT_FALSE(run.growth());
}

}  // namespace
}  // namespace vramlab::replay
