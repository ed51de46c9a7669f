// The block that a request for pinned memory gets, and its source.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/devices/pinned_setup.h"

namespace vramlab::tests {
namespace {

using namespace allocator;
using namespace allocator::literals;
using testing::ElementsAre;

TEST(PinnedRequests, get_the_next_power_of_two) {
  PinnedSetup setup;
  EXPECT_EQ(setup.ask(1_B).size, 1_B);
  EXPECT_EQ(setup.ask(1024_B).size, 1024_B);
  EXPECT_EQ(setup.ask(100'000'000_B).size, 128_MiB);
}

TEST(PinnedRequests, of_no_bytes_get_nothing_and_handle_no_events) {
  PinnedSetup setup;
  const Address block = setup.get(1_KiB);
  setup.use_on(1, block);
  setup.free(block);
  setup.complete(1);
  EXPECT_EQ(setup.ask(0_B).outcome, MallocOutcome::nothing);
  EXPECT_EQ(setup.engine.statistics().active_requests.current, 1);
}

TEST(PinnedRequests, above_a_limit_are_not_rounded) {
  PinnedSetup threshold("pinned_max_round_threshold_mb:4");
  EXPECT_EQ(threshold.ask(3_MiB).size, 4_MiB);
  EXPECT_EQ(threshold.ask(4_MiB + 1_B).size, 4_MiB + 1_B);
  PinnedSetup cached("pinned_max_cached_size_mb:4");
  EXPECT_EQ(cached.ask(5_MiB).size, 5_MiB);
}

TEST(PinnedRequests, take_the_block_that_was_freed_last) {
  PinnedSetup setup;
  const Address first = setup.get(1_KiB);
  const Address second = setup.get(1_KiB);
  setup.free(first);
  setup.free(second);
  EXPECT_EQ(setup.get(1_KiB), second);
  EXPECT_EQ(setup.get(1_KiB), first);
}

TEST(PinnedRequests, never_take_a_block_of_a_larger_bucket) {
  PinnedSetup setup;
  setup.free(setup.get(4_KiB));
  EXPECT_EQ(setup.ask(2_KiB).size, 2_KiB);
  EXPECT_THAT(setup.calls_of_system(), ElementsAre("host_alloc 4096", "host_alloc 2048"));
}

TEST(PinnedRequests, pass_over_blocks_that_are_too_small_in_2_14) {
  PinnedSetup setup("pinned_max_round_threshold_mb:1");
  const Address large = setup.get(6_MiB);
  const Address small = setup.get(5_MiB);
  setup.free(large);
  setup.free(small);
  EXPECT_EQ(setup.get(6_MiB), large);
}

TEST(PinnedRequests, fail_without_releasing_what_is_cached) {
  PinnedSetup setup;
  setup.free(setup.get(4_MiB));
  setup.host.set_limit(5_MiB);
  EXPECT_EQ(setup.ask(2_MiB).outcome, MallocOutcome::out_of_memory);
  EXPECT_THAT(setup.calls_of_system(),
              ElementsAre("host_alloc 4194304", "host_alloc_failed 2097152"));
  EXPECT_EQ(setup.engine.statistics().allocations.current, 1);
}

TEST(PinnedRequests, above_two_to_the_63_fail) {
  PinnedSetup setup;
  EXPECT_EQ(setup.ask({(1ULL << 63) + 1}).outcome, MallocOutcome::out_of_memory);
  EXPECT_TRUE(setup.host.calls().empty());
}

TEST(PinnedMemory, is_registered_if_the_option_says_so_and_released_as_it_was_obtained) {
  PinnedSetup setup("pinned_use_cuda_host_register:True");
  setup.free(setup.get(1_MiB));
  setup.set_options("pinned_use_cuda_host_register:False");
  setup.engine.empty_cache();
  EXPECT_THAT(setup.calls_of_system(), ElementsAre("malloc 1048576", "host_register 1048576",
                                                   "host_unregister 1048576", "free 1048576"));
}

TEST(PinnedMemory, is_released_by_the_option_in_force_in_2_6_which_may_fail) {
  PinnedSetup setup("", "2.6");
  setup.free(setup.get(1_MiB));
  setup.set_options("pinned_use_cuda_host_register:True");
  EXPECT_THROW(setup.engine.empty_cache(), DeviceError);
  EXPECT_TRUE(setup.engine.snapshot().empty());
  EXPECT_EQ(setup.host.pinned(), 1_MiB);
}

TEST(PinnedMemory, that_cannot_be_registered_stays_lost) {
  PinnedSetup setup("pinned_use_cuda_host_register:True");
  setup.host.set_limit(1_MiB);
  EXPECT_FALSE(setup.ask(2_MiB));
  EXPECT_THAT(setup.calls_of_system(),
              ElementsAre("malloc 2097152", "host_register_failed 2097152"));
}

TEST(ReserveSegment, is_carved_in_whole_pages_and_takes_nothing_back) {
  PinnedSetup setup("pinned_reserve_segment_size_mb:1");
  const Address first = setup.get(1_B);
  const Address second = setup.get(512_KiB);
  EXPECT_EQ(second, first + 4_KiB);
  setup.get(1_MiB);
  setup.free(second);
  setup.engine.empty_cache();
  EXPECT_THAT(setup.calls_of_system(), ElementsAre("host_alloc 1048576", "host_alloc 1048576"));
  EXPECT_EQ(setup.engine.statistics().allocations.freed, 1);
}

TEST(ReserveSegment, is_decided_when_memory_is_obtained_for_the_first_time) {
  PinnedSetup setup;
  setup.get(1_KiB);
  setup.set_options("pinned_reserve_segment_size_mb:1");
  setup.get(2_KiB);
  EXPECT_THAT(setup.calls_of_system(), ElementsAre("host_alloc 1024", "host_alloc 2048"));
}

TEST(ReserveSegment, that_cannot_be_obtained_fails_the_request_and_is_tried_again) {
  PinnedSetup setup("pinned_reserve_segment_size_mb:4");
  setup.host.set_limit(1_MiB);
  EXPECT_FALSE(setup.ask(1_KiB));
  setup.set_options("pinned_reserve_segment_size_mb:1");
  EXPECT_TRUE(setup.ask(1_KiB));
  EXPECT_THAT(setup.calls_of_system(),
              ElementsAre("host_alloc_failed 4194304", "host_alloc 1048576"));
}

}  // namespace
}  // namespace vramlab::tests
