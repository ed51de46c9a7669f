#include "replay/replayer/recorded_memory.h"

#include <gtest/gtest.h>

namespace vramlab::replay {
namespace {

using allocator::Bytes;

class SteadyLimitTest : public testing::Test {
 protected:
  SteadyLimitTest() { explained_.room.peak_reserved = {600}; }

  /// A call of four events.
  void refuse(std::uint64_t missed) {
    const std::size_t first = 4 * explained_.calls.size();
    explained_.calls.push_back({.first = first, .end = first + 4});
    explained_.refusals[first] = {missed};
  }
  std::optional<Bytes> limit(std::uint64_t device_memory) const {
    return steady_limit(explained_, otherwise_, {device_memory});
  }

  ExplainedHistory explained_;
  std::set<std::size_t> otherwise_;
};

TEST_F(SteadyLimitTest, is_all_of_a_device_that_refuses_what_was_refused) {
  refuse(900);
  refuse(800);
  EXPECT_EQ(limit(799), Bytes{799});
}

TEST_F(SteadyLimitTest, is_what_was_reserved_if_others_must_have_held_some) {
  refuse(900);
  refuse(800);
  EXPECT_EQ(limit(800), Bytes{600});
}

TEST_F(SteadyLimitTest, is_unknown_if_nothing_was_refused) {
  EXPECT_EQ(limit(700), std::nullopt);
  refuse(800);
  otherwise_.insert(2);
  EXPECT_EQ(limit(700), std::nullopt);
}

TEST_F(SteadyLimitTest, is_unknown_if_less_was_refused_than_granted_at_another_time) {
  refuse(800);
  refuse(600);
  EXPECT_EQ(limit(700), std::nullopt);
}

TEST_F(SteadyLimitTest, is_unknown_if_an_out_of_memory_tells_more) {
  refuse(800);
  explained_.fidelity.inferred.out_of_memory = 1;
  EXPECT_EQ(limit(700), std::nullopt);
}

}  // namespace
}  // namespace vramlab::replay
