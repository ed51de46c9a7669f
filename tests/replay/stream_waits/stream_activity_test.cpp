// The activity of streams, in small programs whose every figure is known.
#include "replay/stream_waits/stream_activity.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "streams/stream_model/timed_streams.h"

namespace vramlab::replay {
namespace {

using namespace streams;

class Activities : public testing::Test {
 protected:
  Activities() {
    call_at(0);
    timed_.create_stream(one, {.is_blocking = false});
    timed_.create_stream(two, {.is_blocking = false});
    timed_.create_event({1}, 0, true);
  }
  void call_at(std::uint64_t time_ns) { ASSERT_TRUE(timed_.begin_call({0}, Time{time_ns})); }
  void work(StreamAt stream, std::uint64_t duration_ns, std::uint64_t tag = 0) {
    timed_.submit(stream, {.duration = {duration_ns}, .tag = tag});
  }
  ActivityReport report() {
    EXPECT_TRUE(timed_.finish().empty());
    return activity_.report();
  }

  static constexpr StreamAt one{0, {1}};
  static constexpr StreamAt two{0, {2}};
  std::vector<FinishedItem> finished_;
  StreamActivity activity_{[this](const FinishedItem& item) { finished_.push_back(item); }};
  TimedStreams timed_{{}, activity_};
};

TEST_F(Activities, busy_and_overlapped_time_is_that_of_the_device) {
  work(one, 100);
  work(two, 30);
  call_at(80);
  work(two, 40);
  const ActivityReport found = report();
  EXPECT_EQ(found.devices.at(0).busy.ns, 120U);
  EXPECT_EQ(found.devices.at(0).overlapped.ns, 50U);
  EXPECT_EQ(found.streams.at(two).busy.ns, 70U);
  EXPECT_EQ(found.streams.at(two).work_count, 2U);
  EXPECT_EQ(found.streams.at(two).first_begin.ns, 0U);
  EXPECT_EQ(found.streams.at(two).last_end.ns, 120U);
  EXPECT_EQ(found.end.ns, 120U);
}

TEST_F(Activities, a_stream_that_waits_for_an_event_is_held_up) {
  work(one, 100);
  timed_.record_event({1}, one, 7);
  work(two, 30);
  timed_.wait_for_event(two, {1}, 8);
  work(two, 10);
  const ActivityReport found = report();
  EXPECT_EQ(found.streams.at(two).held_up.ns, 70U);
  EXPECT_EQ(found.streams.at(one).held_up.ns, 0U);
}

TEST_F(Activities, a_wait_knows_the_record_that_it_waited_for) {
  work(one, 100);
  timed_.record_event({1}, one, 7);
  timed_.wait_for_event(two, {1}, 8);
  timed_.record_event({1}, two, 9);
  report();
  const auto wait = std::find_if(finished_.begin(), finished_.end(), [](const FinishedItem& item) {
    return item.item.kind == ItemKind::event_wait;
  });
  ASSERT_NE(wait, finished_.end());
  ASSERT_NE(wait->awaited, nullptr);
  EXPECT_EQ(wait->awaited->stream, one);
  EXPECT_EQ(wait->awaited->at, Time{100});
}

TEST_F(Activities, a_place_that_is_taken_holds_a_stream_up) {
  StreamActivity activity;
  TimedStreams timed({{}, {}, {.kernels = 1}}, activity);
  ASSERT_TRUE(timed.begin_call({0}, std::nullopt));
  timed.create_stream(one, {.is_blocking = false});
  timed.create_stream(two, {.is_blocking = false});
  timed.submit(one, {.duration = {60}});
  timed.submit(two, {.duration = {10}});
  timed.finish();
  EXPECT_EQ(activity.report().streams.at(two).held_up.ns, 60U);
  EXPECT_EQ(activity.report().devices.at(0).overlapped.ns, 0U);
}

TEST_F(Activities, threads_wait_from_their_call_until_the_last_thing_ends) {
  work(one, 100);
  work(two, 150);
  call_at(40);
  timed_.synchronize_device(0);
  call_at(0);
  timed_.synchronize_stream(one);
  const ActivityReport found = report();
  EXPECT_EQ(found.threads.at({0}).waits, 1U);
  EXPECT_EQ(found.threads.at({0}).waited.ns, 110U);
}

TEST_F(Activities, the_nodes_of_a_graph_count_as_work_of_the_launching_stream) {
  timed_.begin_capture(one, CaptureMode::relaxed);
  work(one, 25);
  work(one, 35);
  timed_.end_capture(one, {3});
  timed_.launch_graph({3}, two, 5);
  const ActivityReport found = report();
  EXPECT_EQ(found.streams.at(two).launches, 1U);
  EXPECT_EQ(found.streams.at(two).work_count, 2U);
  EXPECT_EQ(found.streams.at(two).busy.ns, 60U);
  EXPECT_EQ(found.streams.count(one), 0U);
}

}  // namespace
}  // namespace vramlab::replay
