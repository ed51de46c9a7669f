// The time at which freed pinned memory comes back, and its way from there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/devices/pinned_setup.h"

namespace vramlab::tests {
namespace {

using namespace allocator;
using namespace allocator::literals;
using testing::ElementsAre;

TEST(PinnedFrees, wait_for_every_stream_that_used_the_block) {
  PinnedSetup setup;
  const Address block = setup.get(1_KiB);
  setup.use_on(1, block);
  setup.use_on(2, block);
  setup.free(block);
  setup.complete(1);
  EXPECT_NE(setup.get(1_KiB), block);
  setup.complete(2);
  EXPECT_EQ(setup.get(1_KiB), block);
}

TEST(PinnedFrees, are_held_back_by_an_older_event_of_the_same_pool) {
  PinnedSetup setup;
  const Address older = setup.get(1_KiB);
  const Address younger = setup.get(1_KiB);
  setup.use_on(1, older);
  setup.use_on(2, younger);
  setup.free(older);
  setup.free(younger);
  setup.complete(2);
  EXPECT_NE(setup.get(1_KiB), younger);
}

TEST(PinnedFrees, above_the_cached_size_release_the_block) {
  PinnedSetup setup("pinned_max_cached_size_mb:4");
  const Address large = setup.get(5_MiB);
  const Address small = setup.get(4_MiB);
  setup.free(large);
  setup.free(small);
  EXPECT_THAT(setup.calls_of_system(),
              ElementsAre("host_alloc 5242880", "host_alloc 4194304", "host_free 5242880"));
}

TEST(PinnedFrees, twice_or_of_an_unknown_address_are_refused) {
  PinnedSetup setup;
  const Address block = setup.get(1_KiB);
  setup.free(block);
  EXPECT_THROW(setup.free(block), AllocatorError);
  EXPECT_THROW(setup.free(block + 1_B), AllocatorError);
}

TEST(PinnedUses, are_known_by_the_address_a_block_begins_at) {
  PinnedSetup setup;
  const Address block = setup.get(4_KiB);
  EXPECT_TRUE(setup.engine.use(block, {1}));
  EXPECT_FALSE(setup.engine.use(block + 1_B, {1}));
  setup.free(block);
  EXPECT_TRUE(setup.engine.snapshot().front().active);
}

TEST(PinnedUses, of_a_block_that_is_free_are_an_internal_error) {
  PinnedSetup setup;
  const Address block = setup.get(4_KiB);
  setup.free(block);
  EXPECT_THROW(setup.engine.use(block, {1}), HostError);
}

/// A block whose free fails: an event can be recorded on stream 1, but not on stream 2.
Address free_with_failing_event(PinnedSetup& setup) {
  const Address block = setup.get(1_KiB);
  setup.use_on(1, block);
  setup.use_on(2, block);
  setup.host.set_failing({2}, true);
  EXPECT_THROW(setup.free(block), DeviceError);
  setup.complete(1);
  setup.complete(2);
  EXPECT_NE(setup.get(1_KiB), block);
  EXPECT_EQ(setup.host.streams().event_count(), 0U);
  return block;
}

TEST(FailingEvents, leave_a_block_that_is_active_for_ever) {
  PinnedSetup setup;
  free_with_failing_event(setup);
  EXPECT_FALSE(setup.engine.snapshot().front().allocated);
  EXPECT_TRUE(setup.engine.snapshot().front().active);
}

TEST(FailingEvents, leave_a_block_that_is_not_active_in_2_6) {
  PinnedSetup setup("", "2.6");
  free_with_failing_event(setup);
  EXPECT_FALSE(setup.engine.snapshot().front().active);
}

TEST(FailingEvents, are_swallowed_if_the_option_says_so) {
  PinnedSetup setup("pinned_free_catch_all:True");
  const Address block = setup.get(1_KiB);
  setup.use_on(1, block);
  setup.host.set_failing({1}, true);
  setup.free(block);
  EXPECT_TRUE(setup.engine.snapshot().front().active);
}

/// A freed block whose event is complete and not looked at yet.
Address freed_and_done(PinnedSetup& setup, Bytes size) {
  const Address block = setup.get(size);
  setup.use_on(1, block);
  setup.free(block);
  setup.complete(1);
  return block;
}

TEST(BackgroundThread, handles_events_instead_of_requests_once_a_miss_started_it) {
  PinnedSetup setup("pinned_use_background_threads:True");
  const Address block = freed_and_done(setup, 1_KiB);
  EXPECT_NE(setup.get(1_KiB), block);
  setup.engine.run_background_thread();
  EXPECT_EQ(setup.get(1_KiB), block);
}

TEST(BackgroundThread, is_not_there_before_a_miss_with_the_option_on) {
  PinnedSetup setup;
  freed_and_done(setup, 1_KiB);
  setup.set_options("pinned_use_background_threads:True");
  setup.engine.run_background_thread();
  EXPECT_EQ(setup.engine.statistics().active_requests.current, 1);
}

TEST(BackgroundThread, a_miss_of_2_6_looks_at_events_of_its_size_first) {
  PinnedSetup setup("pinned_use_background_threads:True", "2.6");
  const Address held = setup.get(2_KiB);
  setup.use_on(9, held);
  setup.free(held);
  const Address block = freed_and_done(setup, 1_KiB);
  EXPECT_EQ(setup.get(1_KiB), block);
  setup.complete(9);
}

TEST(EmptyHostCache, releases_free_blocks_by_size_and_leaves_what_waits) {
  PinnedSetup setup;
  const Address waiting = setup.get(8_KiB);
  setup.use_on(1, waiting);
  setup.free(waiting);
  setup.free(setup.get(4_KiB));
  setup.free(setup.get(1_KiB));
  setup.engine.empty_cache();
  EXPECT_THAT(setup.calls_of_system(),
              ElementsAre("host_alloc 8192", "host_alloc 4096", "host_alloc 1024", "host_free 1024",
                          "host_free 4096"));
}

TEST(EmptyHostCache, a_failing_release_of_2_6_leaves_the_rest_of_its_bucket_in_no_list) {
  PinnedSetup setup("", "2.6");
  const Address first = setup.get(1_KiB);
  const Address second = setup.get(1_KiB);
  setup.free(first);
  setup.free(second);
  setup.set_options("pinned_use_cuda_host_register:True");
  EXPECT_THROW(setup.engine.empty_cache(), DeviceError);
  setup.set_options("pinned_use_cuda_host_register:False");
  EXPECT_EQ(setup.engine.snapshot().size(), 1U);
  EXPECT_NE(setup.get(1_KiB), second);
}

}  // namespace
}  // namespace vramlab::tests
