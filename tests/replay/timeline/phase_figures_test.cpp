// Memory at marked moments of small histories, counted by hand, and beside the allocator's own
// figures in random ones.
#include "replay/timeline/phase_figures.h"

#include <gtest/gtest.h>

#include "tests/support/devices/allocator_setup.h"
#include "tests/support/kit/random_numbers.h"

namespace vramlab::replay {
namespace {

using namespace allocator;
using namespace allocator::literals;
using tests::AllocatorSetup;
using tests::RandomNumbers;

VerifyConditions conditions() { return {*find_reference_version("2.12"), false, {{}, {}}}; }

class PhaseFigures : public testing::Test {
 protected:
  PhaseFigures() {
    history.traits.names_pools = true;
    history.traits.requests_frees = true;
  }
  void event(Action action, Address at, Bytes size, PoolId pool = default_pool) {
    AllocatorEvent event{action, at, size, {}, {}, 1000 + history.events.size()};
    event.pool = pool;
    history.events.push_back(event);
  }
  std::vector<MarkedMoment> figures(const std::vector<HistoryStep>& moments) const {
    return figures_at(history, walk_history(history, conditions()), moments);
  }

  static constexpr Address base{0x7f0000000000};
  static constexpr Address of_graphs{0x7f8000000000};
  DeviceHistory history;
};

TEST_F(PhaseFigures, of_a_block_that_came_and_went_between_two_moments) {
  event(Action::segment_alloc, base, 20_MiB);
  event(Action::alloc, base, 5_MiB);
  event(Action::free_requested, base, 5_MiB);
  event(Action::free_completed, base, 5_MiB);
  const auto found = figures({0, 1, 4});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].reserved, 0_B);
  EXPECT_EQ(found[1].reserved, 20_MiB);
  EXPECT_EQ(found[1].peak_allocated, 0_B);
  EXPECT_EQ(found[2].allocated, 0_B);
  EXPECT_EQ(found[2].peak_allocated, 5_MiB);
  EXPECT_EQ(found[2].peak_reserved, 20_MiB);
}

TEST_F(PhaseFigures, a_peak_counts_for_the_phase_in_which_it_was) {
  event(Action::segment_alloc, base, 20_MiB);
  event(Action::alloc, base, 5_MiB);
  event(Action::free_requested, base, 5_MiB);
  event(Action::free_completed, base, 5_MiB);
  event(Action::alloc, base, 2_MiB);
  const auto found = figures({4, 5});
  EXPECT_EQ(found[0].peak_allocated, 5_MiB);
  EXPECT_EQ(found[1].peak_allocated, 2_MiB);
}

TEST_F(PhaseFigures, pools_of_graphs_are_told_apart) {
  event(Action::segment_alloc, base, 20_MiB);
  event(Action::alloc, base, 5_MiB);
  event(Action::segment_alloc, of_graphs, 2_MiB, {0, 7});
  event(Action::alloc, of_graphs, 1_MiB, {0, 7});
  event(Action::free_requested, of_graphs, 1_MiB, {0, 7});
  const auto found = figures({2, 4, 5});
  EXPECT_EQ(found[0].reserved_in_pools, 0_B);
  EXPECT_EQ(found[1].reserved, 22_MiB);
  EXPECT_EQ(found[1].reserved_in_pools, 2_MiB);
  EXPECT_EQ(found[1].allocated, 6_MiB);
  EXPECT_EQ(found[1].allocated_in_pools, 1_MiB);
  EXPECT_EQ(found[1].requested, 6_MiB);
  EXPECT_EQ(found[2].allocated_in_pools, 0_B);
  EXPECT_EQ(found[2].reserved_in_pools, 2_MiB);
}

TEST_F(PhaseFigures, the_least_is_that_between_two_moments_without_pools) {
  event(Action::segment_alloc, base, 20_MiB);
  event(Action::segment_free, base, 20_MiB);
  event(Action::segment_alloc, of_graphs, 2_MiB, {0, 7});
  event(Action::alloc, of_graphs, 1_MiB, {0, 7});
  event(Action::segment_alloc, base, 4_MiB);
  const auto found = figures({1, 5, 5});
  EXPECT_EQ(found[1].least_reserved_by_default, 0_B);
  EXPECT_EQ(found[1].reserved_by_default(), 4_MiB);
  EXPECT_EQ(found[2].least_reserved_by_default, 4_MiB);
}

TEST_F(PhaseFigures, moments_behind_the_end_are_the_end) {
  event(Action::segment_alloc, base, 20_MiB);
  const auto found = figures({9, 9});
  EXPECT_EQ(found[0].reserved, 20_MiB);
  EXPECT_EQ(found[1].reserved, 20_MiB);
  EXPECT_EQ(found[1].peak_reserved, 20_MiB);
}

TEST_F(PhaseFigures, without_events_nothing_is_held) {
  EXPECT_EQ(figures({0})[0].reserved, 0_B);
  EXPECT_TRUE(figures({}).empty());
}

TEST_F(PhaseFigures, are_those_of_the_allocator_after_each_call) {
  AllocatorSetup setup({300_MiB, "2.12", ""});
  RandomNumbers numbers(7);
  std::vector<Address> live;
  std::vector<HistoryStep> moments;
  std::vector<Snapshot> said;
  for (int call = 0; call < 300; ++call) {
    const bool frees = !live.empty() && numbers.one_in(2);
    if (frees) {
      setup.free(live.back());
      live.pop_back();
    } else if (const MallocResult made =
                   setup.engine.malloc(Bytes{numbers.between(1, 9'000'000)}, {0})) {
      live.push_back(made.address);
    }
    for (AllocatorEvent event : setup.new_entries()) {
      event.time_us = 1000 + history.events.size();
      history.events.push_back(event);
    }
    moments.push_back(history.events.size());
    said.push_back(setup.engine.take_snapshot());
  }
  history.final_segments = said.back().segments;
  const auto found = figures(moments);
  for (std::size_t i = 0; i < said.size(); ++i) {
    Bytes reserved;
    Bytes allocated;
    for (const SnapshotSegment& segment : said[i].segments) {
      reserved += segment.total_size;
      allocated += segment.allocated_size;
    }
    ASSERT_EQ(found[i].reserved, reserved) << "after call " << i;
    ASSERT_EQ(found[i].allocated, allocated) << "after call " << i;
    ASSERT_GE(found[i].peak_allocated, allocated) << "after call " << i;
  }
}

}  // namespace
}  // namespace vramlab::replay
