// Since 2.13 events, frees and releases are held back not by an open scope, but by a capture of the
// stream that is current where the call comes from. Each test is a program that was run on
// 2.12.1, 2.13.0 and 2.15.0.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

#include "allocator/types/answers.h"
#include "tests/support/devices/allocator_setup.h"

namespace vramlab::tests {
namespace {

using namespace allocator;
using namespace allocator::literals;
using testing::ElementsAre;

constexpr StreamId capturing{1};
constexpr StreamId other{2};

/// A scope is open for the stream that captures, and a block is used on a third stream.
struct Capture : AllocatorSetup {
  explicit Capture(std::string_view version = "2.13", Bytes device_total = 1_GiB)
      : AllocatorSetup({device_total, version, {}}), used(get(4_MiB)) {
    begin_scope(1, capturing.value);
    device.begin_capture(capturing);
    engine.set_current_stream(capturing);
  }
  void end() {
    device.end_capture(capturing);
    end_scope(1);
  }
  Address used;
};

TEST(RealCaptures, scope_alone_lets_events_be_recorded_and_looked_at) {
  for (const std::string_view version : {"2.12.1", "2.13"}) {
    AllocatorSetup setup({1_GiB, version, {}});
    const Address used = setup.get(4_MiB);
    setup.use_on(3, used);
    setup.begin_scope(1);
    setup.free(used);
    setup.complete(3);
    setup.get(512_B);
    EXPECT_EQ(setup.segments().at(0),
              version == "2.13" ? "20MiB free" : "4MiB waiting, 16MiB free");
    setup.end_scope(1);
  }
}

TEST(RealCaptures, use_in_a_scope_alone_is_waited_for) {
  AllocatorSetup setup({1_GiB, "2.13", {}});
  const Address used = setup.get(4_MiB);
  setup.begin_scope(1);
  setup.use_on(3, used);
  setup.free(used);
  setup.end_scope(1);
  setup.get(512_B);
  EXPECT_EQ(setup.segments().at(0), "4MiB waiting, 16MiB free");
}

TEST(RealCaptures, scope_alone_lets_a_request_release_what_is_cached) {
  for (const std::string_view version : {"2.12.1", "2.15"}) {
    AllocatorSetup setup({100_MiB, version, {}});
    setup.free(setup.get(60_MiB));
    setup.begin_scope(1);
    EXPECT_EQ(setup.outcome_of(70_MiB),
              version == "2.15" ? MallocOutcome::allocated : MallocOutcome::out_of_memory);
    EXPECT_EQ(setup.statistics().num_alloc_retries, version == "2.15" ? 1 : 0);
    setup.end_scope(1);
  }
}

TEST(RealCaptures, scope_alone_lets_the_cache_be_emptied) {
  AllocatorSetup setup({1_GiB, "2.13", {}});
  setup.free(setup.get(5_MiB));
  setup.begin_scope(1);
  setup.engine.empty_cache();
  EXPECT_TRUE(setup.segments().empty());
  EXPECT_EQ(setup.statistics().num_sync_all_streams, 1);
  setup.end_scope(1);
}

TEST(RealCaptures, free_where_the_stream_captures_is_deferred) {
  Capture setup;
  setup.use_on(3, setup.used);
  setup.engine.set_current_stream(capturing);
  setup.free(setup.used);
  EXPECT_EQ(setup.device.event_count(), 0U);
  setup.get(512_B, capturing.value);
  EXPECT_EQ(setup.segments().at(0), "4MiB waiting, 16MiB free");
  setup.end();
}

TEST(RealCaptures, free_where_another_stream_is_current_has_its_event_at_once) {
  Capture setup;
  setup.engine.set_current_stream(other);
  setup.use_on(3, setup.used);
  setup.free(setup.used);
  EXPECT_EQ(setup.device.event_count(), 1U);
  setup.end();
}

TEST(RealCaptures, request_on_another_stream_handles_what_a_capture_deferred) {
  Capture setup;
  setup.use_on(3, setup.used);
  setup.free(setup.used);
  setup.complete(3);
  setup.get(512_B, other.value);
  EXPECT_EQ(setup.segments().at(0), "20MiB free") << "the use in the capture needs no event";
  EXPECT_EQ(setup.device.event_count(), 0U);
  setup.end();
}

TEST(RealCaptures, use_where_another_stream_is_current_is_waited_for) {
  Capture setup;
  setup.engine.set_current_stream(other);
  setup.use_on(3, setup.used);
  setup.engine.set_current_stream(capturing);
  setup.free(setup.used);
  setup.get(512_B, other.value);
  EXPECT_EQ(setup.segments().at(0), "4MiB waiting, 16MiB free");
  setup.end();
}

TEST(RealCaptures, request_on_another_stream_releases_what_is_cached) {
  Capture setup("2.13", 100_MiB);
  setup.free(setup.get(60_MiB));
  EXPECT_EQ(setup.outcome_of(70_MiB, capturing.value), MallocOutcome::out_of_memory);
  EXPECT_EQ(setup.outcome_of(70_MiB, other.value), MallocOutcome::allocated);
  EXPECT_EQ(setup.statistics().num_alloc_retries, 1);
  setup.end();
}

TEST(RealCaptures, cache_is_emptied_where_another_stream_is_current) {
  Capture setup;
  setup.free(setup.get(60_MiB));
  setup.engine.set_current_stream(capturing);
  setup.engine.empty_cache();
  EXPECT_THAT(setup.segments(), ElementsAre("4MiB live, 16MiB free", "60MiB free"));
  EXPECT_EQ(setup.statistics().num_sync_all_streams, 0);
  setup.engine.set_current_stream(other);
  setup.engine.empty_cache();
  EXPECT_THAT(setup.segments(), ElementsAre("4MiB live, 16MiB free"));
  setup.end();
}

TEST(RealCaptures, pool_object_may_go_inside_another_pools_scope_and_not_during_a_capture) {
  AllocatorSetup setup({1_GiB, "2.13", {}});
  setup.engine.create_pool({0, 1}, {});
  setup.engine.create_pool({0, 2}, {});
  setup.begin_scope(3);
  EXPECT_NO_THROW(setup.engine.destroy_pool({0, 1}));
  setup.device.begin_capture(capturing);
  setup.engine.set_current_stream(capturing);
  EXPECT_THROW(setup.engine.destroy_pool({0, 2}), AllocatorError);
  setup.device.end_capture(capturing);
  setup.end_scope(3);
}

}  // namespace
}  // namespace vramlab::tests
