// Private pools of pinned memory, its statistics and its history.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/support/devices/pinned_setup.h"

namespace vramlab::tests {
namespace {

using namespace allocator;
using namespace allocator::literals;
using testing::ElementsAre;

HostErrorKind kind_of_error(const std::function<void()>& call) {
  try {
    call();
  } catch (const HostError& error) {
    return error.kind();
  }
  throw std::runtime_error("a refusal was expected");
}

TEST(HostPoolScopes, take_requests_to_their_pool_and_blocks_return_to_it) {
  PinnedSetup setup;
  setup.begin_pool(1);
  const Address block = setup.get(1_KiB);
  setup.engine.end_pool({0, 1});
  setup.free(block);
  EXPECT_NE(setup.get(1_KiB), block);
  EXPECT_EQ(setup.engine.snapshot().front().pool, (PoolId{0, 1}));
}

TEST(HostPoolScopes, are_asked_in_the_order_in_which_they_were_opened) {
  PinnedSetup setup;
  setup.engine.begin_pool({0, 2}, [](StreamId stream) { return stream == StreamId{5}; });
  setup.begin_pool(1);
  setup.get(1_KiB, 5);
  setup.get(2_KiB, 6);
  EXPECT_EQ(setup.engine.snapshot()[0].pool, (PoolId{0, 2}));
  EXPECT_EQ(setup.engine.snapshot()[1].pool, (PoolId{0, 1}));
}

TEST(HostPoolScopes, opened_twice_are_refused_and_leave_a_use_more) {
  PinnedSetup setup;
  setup.begin_pool(1);
  EXPECT_EQ(kind_of_error([&] { setup.begin_pool(1); }), HostErrorKind::already_recording);
  setup.engine.end_pool({0, 1});
  EXPECT_EQ(kind_of_error([&] { setup.engine.end_pool({0, 1}); }), HostErrorKind::not_recording);
  setup.engine.release_pool({0, 1});
  setup.engine.release_pool({0, 1});
  EXPECT_EQ(kind_of_error([&] { setup.engine.release_pool({0, 1}); }), HostErrorKind::internal);
  EXPECT_EQ(kind_of_error([&] { setup.engine.release_pool({0, 7}); }), HostErrorKind::unknown_pool);
}

TEST(HostPoolScopes, of_a_pool_that_is_gone_refuse_requests_until_it_is_made_anew) {
  PinnedSetup setup;
  setup.begin_pool(1);
  setup.engine.release_pool({0, 1});
  setup.engine.empty_cache();
  EXPECT_EQ(kind_of_error([&] { setup.ask(1_KiB); }), HostErrorKind::internal);
  EXPECT_THROW(setup.begin_pool(1), HostError);
  EXPECT_TRUE(setup.ask(1_KiB));
}

TEST(HostPoolScopes, the_cache_of_a_pool_that_is_held_is_not_emptied) {
  PinnedSetup setup;
  setup.begin_pool(1);
  setup.free(setup.get(1_KiB));
  setup.engine.end_pool({0, 1});
  setup.engine.empty_cache();
  EXPECT_EQ(setup.host.pinned(), 1_KiB);
  setup.engine.release_pool({0, 1});
  setup.engine.empty_cache();
  EXPECT_EQ(setup.host.pinned(), 0_B);
}

TEST(CapturedBlocks, that_streams_used_never_come_back) {
  PinnedSetup setup;
  setup.begin_pool(1);
  setup.host.set_capturing({3}, true);
  const Address block = setup.get(1_KiB, 3);
  setup.use_on(3, block);
  setup.free(block);
  setup.complete(3);
  EXPECT_NE(setup.get(1_KiB, 3), block);
  EXPECT_TRUE(setup.engine.snapshot().front().active);
  EXPECT_EQ(setup.host.streams().event_count(), 0U);
}

TEST(HostStatistics, add_up_the_peaks_of_buckets) {
  PinnedSetup setup;
  setup.free(setup.get(1_KiB));
  setup.free(setup.get(2_KiB));
  const HostStatisticValues values = setup.engine.statistics();
  EXPECT_EQ(values.active_bytes, (StatisticValue{0, 3072, 3072, 3072}));
  EXPECT_EQ(values.allocated_bytes, (StatisticValue{3072, 3072, 3072, 0}));
  EXPECT_EQ(values.bucket_allocations[10], 1U);
}

TEST(HostStatistics, book_the_times_of_the_system_and_forget_them_when_reset) {
  PinnedSetup setup;
  setup.get(4_MiB);
  setup.free(setup.get(2_MiB));
  setup.engine.empty_cache();
  EXPECT_EQ(setup.engine.statistics().alloc_time, (HostTimes{6, 4, 2, 2}));
  EXPECT_EQ(setup.engine.statistics().free_time, (HostTimes{2, 2, 2, 1}));
  setup.engine.reset_peak_statistics();
  setup.engine.reset_accumulated_statistics();
  EXPECT_EQ(setup.engine.statistics().alloc_time, HostTimes{});
  EXPECT_EQ(setup.engine.statistics().allocated_bytes, (StatisticValue{4194304, 4194304, 0, 0}));
  EXPECT_EQ(setup.engine.statistics().bucket_allocations[22], 0U);
}

TEST(HostHistory, keeps_the_stacks_that_the_level_asks_for) {
  PinnedSetup setup;
  setup.engine.record_history({true, HostStackLevel::all, 100, false});
  const Address block = setup.get(1_KiB);
  setup.use_on(1, block);
  setup.free(block);
  setup.complete(1);
  setup.get(1_KiB);
  EXPECT_THAT(setup.entries(), ElementsAre("segment_alloc 0", "alloc 0", "free_requested 1",
                                           "free_completed 2", "alloc 2"));
  setup.engine.record_history({true, HostStackLevel::state, 100, true});
  setup.get(2_KiB);
  EXPECT_THAT(setup.entries(), ElementsAre("segment_alloc", "alloc"));
  EXPECT_EQ(setup.engine.snapshot()[1].stack, HostStack{3});
}

TEST(HostHistory, frees_show_the_stack_of_the_block_below_the_highest_level) {
  PinnedSetup setup;
  setup.engine.record_history({true, HostStackLevel::alloc, 100, false});
  setup.free(setup.get(1_KiB));
  setup.engine.empty_cache();
  EXPECT_THAT(setup.entries(), ElementsAre("segment_alloc 0", "alloc 0", "free_requested 0",
                                           "free_completed 0", "segment_free"));
}

TEST(HostHistory, is_a_ring) {
  PinnedSetup setup;
  setup.engine.record_history({true, HostStackLevel::all, 3, false});
  setup.free(setup.get(1_KiB));
  EXPECT_THAT(setup.entries(), ElementsAre("alloc 0", "free_requested 1", "free_completed 1"));
  setup.engine.record_history({false, HostStackLevel::never, 0, false});
  setup.get(1_KiB);
  EXPECT_EQ(setup.entries().size(), 3U);
}

TEST(ExternalPinnedMemory, is_in_history_and_snapshots_while_history_is_recorded) {
  PinnedSetup setup;
  setup.engine.register_external({4096}, 10_KiB, setup.next_stack());
  EXPECT_TRUE(setup.engine.snapshot().empty());
  setup.engine.record_history({true, HostStackLevel::all, 100, false});
  setup.engine.register_external({4096}, 10_KiB, setup.next_stack());
  EXPECT_THAT(setup.engine.snapshot(),
              ElementsAre(HostBlockState{{4096}, 10_KiB, true, true, default_pool, HostStack{1}}));
  setup.engine.unregister_external({4096}, setup.next_stack());
  EXPECT_THAT(setup.entries(), ElementsAre("segment_alloc", "alloc 1", "free_requested 2",
                                           "free_completed 1", "segment_free"));
  EXPECT_EQ(setup.engine.statistics(), HostStatisticValues{});
}

/// The peak of active requests after one in the default pool, which is freed, and one in a private
/// pool.
std::int64_t peak_with_two_pools(PinnedSetup& setup) {
  setup.free(setup.get(1_MiB));
  setup.begin_pool(1);
  setup.free(setup.get(1_MiB));
  setup.engine.end_pool({0, 1});
  return setup.engine.statistics().active_requests.peak;
}

TEST(HostPeaks, of_all_pools_are_added_up_since_2_15) {
  PinnedSetup newest("", "2.15");
  EXPECT_EQ(peak_with_two_pools(newest), 2);
  EXPECT_EQ(newest.engine.statistics().active_bytes.peak, static_cast<std::int64_t>((2_MiB).count));
  PinnedSetup older("", "2.14");
  EXPECT_EQ(peak_with_two_pools(older), 1);
}

TEST(HostPeaks, of_a_pool_that_is_gone_are_the_default_pool_s) {
  PinnedSetup setup("", "2.15");
  peak_with_two_pools(setup);
  setup.engine.release_pool({0, 1});
  setup.engine.empty_cache();
  EXPECT_EQ(setup.engine.statistics().active_requests.peak, 2);
  setup.get(1_MiB);
  setup.get(1_MiB);
  EXPECT_EQ(setup.engine.statistics().active_requests.peak, 2);
  setup.get(1_MiB);
  EXPECT_EQ(setup.engine.statistics().active_requests.peak, 3);
}

}  // namespace
}  // namespace vramlab::tests
