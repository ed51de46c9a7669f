#include "replay/recording/emptying_rhythm.h"

#include <gtest/gtest.h>

namespace vramlab::replay {
namespace {

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
