#include "streams/device/counted_streams.h"

#include <gtest/gtest.h>

namespace vramlab::streams {
namespace {

using allocator::EventId;
using allocator::StreamId;

constexpr StreamId first{1};
constexpr StreamId second{2};

TEST(CountedStreams, an_event_on_an_idle_stream_is_complete_at_once) {
  CountedStreams streams;
  EXPECT_TRUE(streams.is_complete(streams.record_event(first)));
}

TEST(CountedStreams, an_event_waits_for_the_work_before_it_only) {
  CountedStreams streams;
  streams.submit_work(first);
  const EventId event = streams.record_event(first);
  EXPECT_FALSE(streams.is_complete(event));
  streams.complete(first);
  streams.submit_work(first);
  EXPECT_TRUE(streams.is_complete(event));
  EXPECT_TRUE(streams.has_pending_work(first));
}

TEST(CountedStreams, waiting_for_an_event_leaves_later_work_pending) {
  CountedStreams streams;
  streams.submit_work(first);
  const EventId early = streams.record_event(first);
  streams.submit_work(first);
  const EventId late = streams.record_event(first);
  streams.wait_for_event(early);
  EXPECT_TRUE(streams.is_complete(early));
  EXPECT_FALSE(streams.is_complete(late));
}

TEST(CountedStreams, waiting_for_an_old_event_takes_nothing_back) {
  CountedStreams streams;
  streams.submit_work(first);
  const EventId early = streams.record_event(first);
  streams.submit_work(first);
  streams.complete(first);
  streams.wait_for_event(early);
  EXPECT_FALSE(streams.has_pending_work(first));
}

TEST(CountedStreams, streams_do_not_complete_each_others_work) {
  CountedStreams streams;
  streams.submit_work(first);
  streams.submit_work(second);
  streams.complete(first);
  EXPECT_TRUE(streams.has_pending_work(second));
  streams.complete_all();
  EXPECT_FALSE(streams.has_pending_work(second));
}

TEST(CountedStreams, a_forgotten_events_slot_is_used_again) {
  CountedStreams streams;
  const EventId event = streams.record_event(first);
  streams.forget_event(event);
  EXPECT_EQ(streams.event_count(), 0U);
  EXPECT_EQ(streams.record_event(second), event);
  EXPECT_EQ(streams.event_count(), 1U);
}

TEST(CountedStreamsDeathTest, asking_about_a_forgotten_event_stops) {
  CountedStreams streams;
  const EventId event = streams.record_event(first);
  streams.forget_event(event);
  EXPECT_DEATH(streams.is_complete(event), "between its recording and its forgetting");
}

}  // namespace
}  // namespace vramlab::streams
