// The examples of docs/guide/top_and_snapshot.md.
#include "replay/metrics/fragmentation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/metrics/engine_rules.h"
#include "tests/support/devices/allocator_setup.h"

namespace vramlab::tests {
namespace {

using namespace allocator::literals;
using allocator::Address;
using allocator::Bytes;
using allocator::PoolKind;
using replay::Fragmentation;
using replay::FragmentationRules;
using replay::Pinner;
using replay::StateFigures;
using testing::ElementsAre;

FragmentationRules rules_in(AllocatorSetup& setup) {
  return replay::rules_of(setup.engine, setup.device.memory_info().free);
}

StateFigures figures_of(AllocatorSetup& setup) {
  return find_fragmentation(setup.engine.take_snapshot(), rules_in(setup)).total;
}

std::int64_t metric(const StateFigures& figures, std::string_view name) {
  return find_value(state_metrics(figures), name)->value;
}

std::vector<Pinner> pinners_of(AllocatorSetup& setup) {
  return find_pinners(setup.engine.take_snapshot(), rules_in(setup), 10);
}

TEST(FragmentationPage, example_1_what_is_held) {
  AllocatorSetup setup;
  setup.get(5_MiB);
  setup.get(700_B);
  EXPECT_THAT(setup.segments(), ElementsAre("5MiB live, 15MiB free", "1KiB live, 2047KiB free"));
  const StateFigures figures = figures_of(setup);
  EXPECT_EQ(figures.reserved, 22_MiB);
  EXPECT_EQ(figures.allocated, 5_MiB + 1_KiB);
  EXPECT_EQ(figures.requested, 5_MiB + 700_B);
  EXPECT_EQ(figures.rounding_waste(), 324_B);
  EXPECT_EQ(figures.free, 15_MiB + 2047_KiB);
  EXPECT_EQ(figures.inactive_split, figures.free);
  EXPECT_EQ(figures.holes, 2U);
  EXPECT_THAT(replay::holes_by_size(setup.engine.take_snapshot()),
              ElementsAre(replay::HoleClass{PoolKind::small, 1_MiB, 1, 2047_KiB},
                          replay::HoleClass{PoolKind::large, 8_MiB, 1, 15_MiB}));
}

TEST(FragmentationPage, example_2_what_a_release_gives_back) {
  AllocatorSetup setup;
  const Address first = setup.get(5_MiB);
  setup.get(700_B);
  const Address second = setup.get(30_MiB);
  setup.free(first);
  setup.free(second);
  EXPECT_THAT(setup.segments(), ElementsAre("20MiB free", "1KiB live, 2047KiB free", "30MiB free"));
  EXPECT_EQ(figures_of(setup).releasable, 50_MiB);
  EXPECT_EQ(figures_of(setup).stranded(), 2047_KiB);
}

TEST(FragmentationPage, example_3_units_of_an_expandable_segment) {
  AllocatorSetup setup({.options = "expandable_segments:True"});
  const Address first = setup.get(30_MiB);
  setup.get(1_MiB + 512_B);
  const Address second = setup.get(30_MiB);
  setup.free(first);
  setup.free(second);
  const StateFigures figures = figures_of(setup);
  EXPECT_EQ(figures.reserved, 80_MiB);
  EXPECT_EQ(figures.releasable, 60_MiB);
  EXPECT_EQ(figures.stranded(), 20_MiB - 1_MiB - 512_B);
}

TEST(FragmentationPage, example_4_pinners_share_what_they_strand) {
  AllocatorSetup setup;
  const Address first = setup.get(5_MiB);
  const Address pin = setup.get(5_MiB);
  const Address large = setup.get(30_MiB);
  setup.get(24_MiB);
  setup.free(first);
  setup.free(large);
  EXPECT_THAT(setup.segments(),
              ElementsAre("5MiB free, 5MiB live, 10MiB free", "30MiB free", "24MiB live"));
  ASSERT_EQ(pinners_of(setup).size(), 1U);
  EXPECT_EQ(pinners_of(setup).front().at, pin);
  EXPECT_EQ(pinners_of(setup).front().strands, 15_MiB);
  EXPECT_EQ(pinners_of(setup).front().released_alone, 20_MiB);

  AllocatorSetup shared;
  const Address gone = shared.get(5_MiB);
  shared.get(5_MiB);
  shared.get(5_MiB);
  shared.free(gone);
  EXPECT_THAT(shared.segments(), ElementsAre("5MiB free, 5MiB live, 5MiB live, 5MiB free"));
  const std::vector<Pinner> pinners = pinners_of(shared);
  ASSERT_EQ(pinners.size(), 2U);
  for (const Pinner& pinner : pinners) {
    EXPECT_EQ(pinner.strands, 5_MiB);
    EXPECT_EQ(pinner.released_alone, 0_B);
    EXPECT_EQ(pinner.beside, 1U);
  }
}

TEST(FragmentationPage, examples_5_and_6_what_could_be_had) {
  AllocatorSetup setup({.device_total = 100_MiB});
  setup.get(5_MiB);
  setup.get(700_B);
  const StateFigures figures = figures_of(setup);
  EXPECT_EQ(figures.largest_free, 15_MiB);
  EXPECT_EQ(figures.largest_cached, 15_MiB);
  EXPECT_EQ(figures.largest_possible, 78_MiB);
  EXPECT_EQ(metric(figures, "external_fragmentation") / 1000, 117);
  EXPECT_EQ(setup.outcome_of(78_MiB), allocator::MallocOutcome::allocated);
}

TEST(FragmentationPage, example_6_what_a_workload_can_use) {
  AllocatorSetup setup;
  setup.get(5_MiB);
  setup.get(700_B);
  const auto usable_for = [&](Bytes size) {
    FragmentationRules rules = rules_in(setup);
    rules.requests.emplace(rules.settings).add(size, {0});
    return metric(find_fragmentation(setup.engine.take_snapshot(), rules).total, "usable_share");
  };
  EXPECT_EQ(usable_for(5_MiB) / 1000, 882);
  EXPECT_EQ(usable_for(8_MiB) / 1000, 470);
}

TEST(FragmentationFiguresOfPools, private_pools_in_use_keep_what_they_have) {
  AllocatorSetup setup;
  setup.begin_scope(1);
  const Address in_pool = setup.get(30_MiB);
  setup.end_scope(1);
  setup.free(in_pool);
  EXPECT_EQ(figures_of(setup).pool_held, 30_MiB);
  EXPECT_EQ(figures_of(setup).releasable, 0_B);
  setup.engine.release_pool({0, 1});
  EXPECT_EQ(figures_of(setup).pool_held, 0_B);
  EXPECT_EQ(figures_of(setup).releasable, 30_MiB);
}

}  // namespace
}  // namespace vramlab::tests
