// Answers to a stream-ordered pool about streams in virtual time.
#include "streams/happens_before/free_order.h"

#include <gtest/gtest.h>

namespace vramlab::tests {
namespace {

using streams::FreePoint;
using streams::StreamAt;

constexpr StreamAt first{0, {1}};
constexpr StreamAt second{0, {2}};
constexpr StreamAt third{0, {3}};
constexpr allocator::EventId event{7};

class TimedFreeOrders : public testing::Test {
 protected:
  TimedFreeOrders() {
    order.watch(streams);
    call();
    for (const StreamAt stream : {first, second, third})
      streams.create_stream(stream, {.is_blocking = false});
    streams.create_event(event, 0, /*has_timing=*/false);
  }
  void call(std::uint64_t at_ns = 0) { ASSERT_TRUE(streams.begin_call({0}, streams::Time{at_ns})); }
  void work(StreamAt stream, std::uint64_t ns) { streams.submit(stream, {.duration = {ns}}); }

  streams::TimedFreeOrder order;
  streams::TimedStreams streams{{}, order};
};

TEST_F(TimedFreeOrders, a_place_is_over_when_the_work_before_it_has_ended) {
  work(first, 100);
  const FreePoint point = order.free_point(first);
  work(first, 100);
  EXPECT_FALSE(order.is_over(point));
  call(99);
  EXPECT_FALSE(order.is_over(point));
  call(100);
  EXPECT_TRUE(order.is_over(point));
}

TEST_F(TimedFreeOrders, a_stream_is_behind_its_own_places) {
  const FreePoint point = order.free_point(first);
  EXPECT_TRUE(order.is_same_stream(point, first));
  EXPECT_TRUE(order.is_behind(point, order.next_on(first)));
  EXPECT_FALSE(order.is_same_stream(point, second));
  EXPECT_FALSE(order.is_behind(point, order.next_on(second)));
}

TEST_F(TimedFreeOrders, a_stream_that_was_made_again_is_another) {
  const FreePoint point = order.free_point(first);
  streams.destroy_stream(first);
  streams.create_stream(first, {.is_blocking = false});
  EXPECT_FALSE(order.is_same_stream(point, first));
  EXPECT_FALSE(order.make_follow(second, point));
}

TEST_F(TimedFreeOrders, events_put_a_stream_behind_what_came_before_their_record) {
  const FreePoint before = order.free_point(first);
  streams.record_event(event, first, 0);
  const FreePoint after = order.free_point(first);
  streams.wait_for_event(second, event, 0);
  EXPECT_TRUE(order.is_behind(before, order.next_on(second)));
  EXPECT_FALSE(order.is_behind(after, order.next_on(second)));
  EXPECT_FALSE(order.is_behind(before, order.next_on(third)));
}

TEST_F(TimedFreeOrders, what_the_host_waited_for_is_known_to_it_and_before_all_that_it_does_next) {
  work(first, 100);
  const FreePoint point = order.free_point(first);
  call(500);
  EXPECT_TRUE(order.is_over(point));
  EXPECT_FALSE(order.is_known_to_host(point));
  streams.synchronize_stream(first);
  call(600);
  EXPECT_TRUE(order.is_known_to_host(point));
  EXPECT_TRUE(order.is_behind(point, order.next_on(third)));
}

TEST_F(TimedFreeOrders, a_stream_that_is_made_to_follow_runs_behind_the_place) {
  work(first, 1000);
  const FreePoint point = order.free_point(first);
  EXPECT_TRUE(order.make_follow(second, point));
  EXPECT_TRUE(order.is_behind(point, order.next_on(second)));
  const FreePoint then = order.free_point(second);
  call(999);
  EXPECT_FALSE(order.is_over(then));
  call(1000);
  EXPECT_TRUE(order.is_over(then));
}

TEST_F(TimedFreeOrders, blocking_streams_are_behind_the_legacy_stream) {
  constexpr StreamAt blocking{0, {9}};
  streams.create_stream(blocking, {.is_blocking = true});
  const FreePoint point = order.free_point({0, {0}});
  EXPECT_TRUE(order.is_behind(point, order.next_on(blocking)));
  EXPECT_FALSE(order.is_behind(point, order.next_on(first)));
}

}  // namespace
}  // namespace vramlab::tests
