#include "streams/device/simulated_device.h"

#include <gtest/gtest.h>

namespace vramlab::streams {
namespace {

using allocator::EventId;
using allocator::StreamId;

constexpr StreamId stream_1{1};
constexpr StreamId stream_2{2};

TEST(CountedStreams, an_event_on_an_idle_stream_is_complete_at_once) {
  CountedStreams streams;
  EXPECT_TRUE(streams.is_complete(streams.record_event(stream_1)));
}

TEST(CountedStreams, an_event_waits_for_the_work_before_it_only) {
  CountedStreams streams;
  streams.submit_work(stream_1);
  const EventId event = streams.record_event(stream_1);
  EXPECT_FALSE(streams.is_complete(event));
  streams.complete(stream_1);
  streams.submit_work(stream_1);
  EXPECT_TRUE(streams.is_complete(event));
  EXPECT_TRUE(streams.has_pending_work(stream_1));
}

TEST(CountedStreams, waiting_for_an_event_leaves_later_work_pending) {
  CountedStreams streams;
  streams.submit_work(stream_1);
  const EventId early = streams.record_event(stream_1);
  streams.submit_work(stream_1);
  const EventId late = streams.record_event(stream_1);
  streams.wait_for_event(early);
  EXPECT_TRUE(streams.is_complete(early));
  EXPECT_FALSE(streams.is_complete(late));
}

TEST(CountedStreams, waiting_for_an_old_event_takes_nothing_back) {
  CountedStreams streams;
  streams.submit_work(stream_1);
  const EventId early = streams.record_event(stream_1);
  streams.submit_work(stream_1);
  streams.complete(stream_1);
  streams.wait_for_event(early);
  EXPECT_FALSE(streams.has_pending_work(stream_1));
}

TEST(CountedStreams, streams_do_not_complete_each_others_work) {
  CountedStreams streams;
  streams.submit_work(stream_1);
  streams.submit_work(stream_2);
  streams.complete(stream_1);
  EXPECT_TRUE(streams.has_pending_work(stream_2));
  streams.complete_all();
  EXPECT_FALSE(streams.has_pending_work(stream_2));
}

TEST(CountedStreams, a_forgotten_events_slot_is_used_again) {
  CountedStreams streams;
  const EventId event = streams.record_event(stream_1);
  streams.forget_event(event);
  EXPECT_EQ(streams.event_count(), 0U);
  EXPECT_EQ(streams.record_event(stream_2), event);
  EXPECT_EQ(streams.event_count(), 1U);
}

TEST(CountedStreams, a_stream_is_forgotten_without_pending_work_and_events) {
  CountedStreams streams;
  streams.submit_work(stream_1);
  const EventId event = streams.record_event(stream_1);
  streams.complete(stream_1);
  EXPECT_EQ(streams.stream_count(), 1U) << "its event can still be asked about";
  EXPECT_TRUE(streams.is_complete(event));
  streams.forget_event(event);
  EXPECT_EQ(streams.stream_count(), 0U);
  streams.submit_work(stream_2);
  streams.complete_all();
  EXPECT_EQ(streams.stream_count(), 0U);
  EXPECT_TRUE(streams.is_complete(streams.record_event(stream_2)));
}

TEST(CountedStreams, completions_rise_when_an_event_may_have_become_complete) {
  CountedStreams streams;
  streams.submit_work(stream_1);
  const EventId event = streams.record_event(stream_1);
  const std::uint64_t before = streams.completions();
  streams.submit_work(stream_2);
  EXPECT_FALSE(streams.is_complete(event));
  EXPECT_EQ(streams.completions(), before);
  streams.complete(stream_1);
  const std::uint64_t after = streams.completions();
  EXPECT_GT(after, before);
  streams.wait_for_event(streams.record_event(stream_2));
  EXPECT_GT(streams.completions(), after);
}

TEST(CountedStreamsDeathTest, asking_about_a_forgotten_event_stops) {
  CountedStreams streams;
  const EventId event = streams.record_event(stream_1);
  streams.forget_event(event);
  EXPECT_DEATH(streams.is_complete(event), "between its recording and its forgetting");
}

}  // namespace
}  // namespace vramlab::streams
