// docs/reference/stream_model.md, 3: events behind everything that a device was given.
#include <gtest/gtest.h>

#include "tests/support/devices/scripted_streams.h"

namespace vramlab::tests {
namespace {

using namespace streams;

class DeviceEventRules : public testing::Test {
 protected:
  DeviceEventRules() {
    script_.next().create_stream(first, non_blocking);
    script_.next().create_stream(second, blocking);
    script_.next().create_stream(elsewhere, non_blocking);
    script_.next().create_event(event, 0, true);
  }
  CudaStatus query_at(std::uint64_t ns) { return script_.at(ns).query_event(event); }

  ScriptedStreams script_;
};

TEST_F(DeviceEventRules, it_is_complete_when_every_stream_got_there) {
  script_.at(0).submit(first, kernel(50, 1));
  script_.at(1).submit(second, kernel(70, 2));
  EXPECT_EQ(script_.at(2).record_device_event(event, 0, 3), CudaStatus::success);
  EXPECT_EQ(query_at(70), CudaStatus::not_ready);
  EXPECT_EQ(query_at(71), CudaStatus::success);
}

TEST_F(DeviceEventRules, it_covers_streams_that_were_destroyed) {
  script_.at(0).submit(first, kernel(50, 1));
  script_.at(1).destroy_stream(first);
  script_.at(2).record_device_event(event, 0, 2);
  EXPECT_EQ(query_at(49), CudaStatus::not_ready);
  EXPECT_EQ(query_at(50), CudaStatus::success);
}

TEST_F(DeviceEventRules, what_comes_later_and_other_devices_do_not_hold_it_up) {
  script_.at(0).submit(first, kernel(50, 1));
  script_.at(1).submit(elsewhere, kernel(500, 2));
  script_.at(2).record_device_event(event, 0, 3);
  script_.at(3).submit(first, kernel(500, 4));
  EXPECT_EQ(query_at(50), CudaStatus::success);
}

TEST_F(DeviceEventRules, it_makes_no_stream_wait_for_another) {
  script_.at(0).submit(first, kernel(50, 1));
  script_.at(1).record_device_event(event, 0, 2);
  script_.at(2).submit(second, kernel(10, 3));
  script_.at(3).submit(legacy, kernel(10, 4));
  EXPECT_EQ(script_.span_of(3), Span(2, 12));
  EXPECT_EQ(script_.span_of(4), Span(12, 22));
}

TEST_F(DeviceEventRules, it_is_refused_during_a_capture_and_invalidates_it) {
  script_.next().begin_capture(first, CaptureMode::relaxed);
  EXPECT_EQ(script_.next().record_device_event(event, 0, 1),
            CudaStatus::stream_capture_unsupported);
  EXPECT_EQ(script_.next().end_capture(first, {1}), CudaStatus::stream_capture_invalidated);
}

TEST_F(DeviceEventRules, the_event_is_one_of_the_device) {
  EXPECT_EQ(script_.next().record_device_event(event, 1, 1), CudaStatus::invalid_resource_handle);
}

}  // namespace
}  // namespace vramlab::tests
