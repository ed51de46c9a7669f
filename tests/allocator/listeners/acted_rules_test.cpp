// The rules that the allocator announces, by their numbers in docs/reference/fidelity.md.
#include "allocator/listeners/listeners.h"

#include <gmock/gmock.h>

#include "tests/support/devices/allocator_setup.h"

namespace vramlab::tests {
namespace {

using allocator::MallocOutcome;
using allocator::Rule;
using testing::ElementsAre;
using testing::IsEmpty;
namespace rules = allocator::rules;
using namespace allocator::literals;

TEST(ActedRules, are_named_once_each_in_the_order_in_which_they_acted_first) {
  allocator::ActedRules acted;
  for (const Rule rule : {rules::best_fit_is_taken, rules::sizes_are_multiples_of_512,
                          rules::best_fit_is_taken, rules::private_segments_stay_classic})
    acted.acted(rule);
  EXPECT_THAT(acted.take_rules(),
              ElementsAre(rules::best_fit_is_taken, rules::sizes_are_multiples_of_512,
                          rules::private_segments_stay_classic));
  EXPECT_THAT(acted.take_rules(), IsEmpty());
  acted.acted(rules::best_fit_is_taken);
  EXPECT_THAT(acted.take_rules(), ElementsAre(rules::best_fit_is_taken));
}

TEST(ActedRules, of_a_miss_lead_from_its_size_to_a_segment_that_is_split) {
  AllocatorSetup setup;
  setup.get(1000_B);
  EXPECT_EQ(setup.new_rules(), "1.1 1.2 4.3 1.3 6.1 6.3");
  setup.get(3_MiB);
  EXPECT_EQ(setup.new_rules(), "1.2 4.3 1.3 6.2 6.3");
}

TEST(ActedRules, of_a_hit_are_best_fit_and_what_says_whether_the_rest_stays) {
  AllocatorSetup setup;
  const auto hole = setup.get(4_MiB);
  setup.get(2_MiB);
  setup.free(hole);
  setup.new_rules();
  setup.get(3_MiB);
  EXPECT_EQ(setup.new_rules(), "1.2 5.2 6.2");
}

TEST(ActedRules, name_divisions_instead_of_the_minimum_where_these_round) {
  AllocatorSetup setup({.options = "roundup_power2_divisions:4"});
  setup.get(1200000_B);
  EXPECT_EQ(setup.new_rules(), "1.6 1.7 1.2 4.3 1.3 6.2 6.3");
}

TEST(ActedRules, of_a_free_say_whether_it_merged) {
  AllocatorSetup setup;
  const auto first = setup.get(4_MiB);
  const auto second = setup.get(4_MiB);
  setup.get(4_MiB);
  setup.new_rules();
  setup.free(first);
  EXPECT_EQ(setup.new_rules(), "7.2");
  setup.free(second);
  EXPECT_EQ(setup.new_rules(), "7.2 7.10");
}

TEST(ActedRules, of_a_free_that_waits_are_the_event_and_the_request_that_looks) {
  AllocatorSetup setup;
  const auto used = setup.get(4_MiB);
  setup.use_on(7, used);
  setup.new_rules();
  setup.free(used);
  EXPECT_EQ(setup.new_rules(), "7.3");
  setup.get(4_MiB);
  EXPECT_EQ(setup.new_rules(), "4.1 7.8 1.2 5.2 6.2 6.3");
  setup.complete(7);
  setup.get(4_MiB);
  EXPECT_EQ(setup.new_rules(), "4.1 7.8 1.2 5.2");
}

TEST(ActedRules, of_a_free_in_a_scope_that_no_capture_opened_say_that_it_is_none) {
  AllocatorSetup setup({.version = "2.13"});
  const auto used = setup.get(4_MiB);
  setup.use_on(7, used);
  setup.begin_scope(1);
  setup.new_rules();
  setup.free(used);
  EXPECT_EQ(setup.new_rules(), "17.23 7.3");
  setup.end_scope(1);
}

TEST(ActedRules, of_a_scope_are_its_pool_and_the_free_that_is_put_off) {
  AllocatorSetup setup;
  setup.begin_scope(1);
  EXPECT_EQ(setup.new_rules(), "11.1");
  const auto inside = setup.get(4_MiB);
  EXPECT_EQ(setup.new_rules(), "1.2 4.2 4.3 1.3 6.2 6.3");
  setup.use_on(7, inside);
  setup.free(inside);
  EXPECT_EQ(setup.new_rules(), "7.6 7.4");
  setup.end_scope(1);
  EXPECT_EQ(setup.new_rules(), "11.3");
  setup.get(1_MiB);
  EXPECT_EQ(setup.new_rules(), "4.1 7.7 7.10 1.2 4.3 1.3 6.1 6.3");
}

TEST(ActedRules, of_the_split_limit_say_which_block_is_not_taken_and_which_is_given_back) {
  AllocatorSetup setup({.device_total = 100_MiB, .options = "max_split_size_mb:32"});
  setup.free(setup.get(64_MiB));
  setup.new_rules();
  setup.get(10_MiB);
  EXPECT_EQ(setup.new_rules(), "1.2 5.5 4.3 1.3");
  setup.get(42_MiB);
  EXPECT_EQ(setup.new_rules(), "1.2 5.6 4.3 1.3 4.4 10.2 10.1");
}

TEST(ActedRules, of_expandable_segments_are_the_range_its_units_and_where_it_grows) {
  AllocatorSetup setup({.options = "expandable_segments:True"});
  setup.get(8_MiB);
  EXPECT_EQ(setup.new_rules(), "1.2 4.3 8.2 8.1 6.1 6.3");
  setup.get(30_MiB);
  EXPECT_EQ(setup.new_rules(), "1.2 4.3 8.3 8.4 8.1 6.1 6.3");
}

TEST(ActedRules, of_a_request_that_fails_are_the_retry_and_the_failure) {
  AllocatorSetup setup({.device_total = 64_MiB});
  setup.get(40_MiB);
  setup.new_rules();
  EXPECT_EQ(setup.outcome_of(30_MiB), MallocOutcome::out_of_memory);
  EXPECT_EQ(setup.new_rules(), "1.2 4.3 1.3 4.5 10.5 7.9 4.7");
  EXPECT_EQ(setup.outcome_of(allocator::Bytes{1ULL << 60}), MallocOutcome::out_of_memory);
  EXPECT_EQ(setup.new_rules(), "1.5");
}

TEST(ActedRules, of_garbage_collection_come_before_the_segment) {
  AllocatorSetup setup({.device_total = 256_MiB, .options = "garbage_collection_threshold:0.6"});
  setup.engine.set_memory_fraction(0.5);
  EXPECT_EQ(setup.new_rules(), "3.6");
  const auto old = setup.get(30_MiB);
  setup.get(50_MiB);
  setup.free(old);
  setup.new_rules();
  setup.get(40_MiB);
  EXPECT_EQ(setup.new_rules(), "1.2 5.1 4.3 9.1 9.3 10.1 1.3");
}

}  // namespace
}  // namespace vramlab::tests
