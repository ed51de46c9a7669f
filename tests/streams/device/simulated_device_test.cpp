#include "streams/device/simulated_device.h"

#include <gtest/gtest.h>

namespace vramlab::streams {
namespace {

using namespace allocator::literals;
using allocator::Address;
using allocator::StreamId;

constexpr StreamId one_stream{1};
constexpr StreamId other_stream{2};

TEST(SimulatedDevice, successful_calls_are_counted_and_failed_ones_are_not) {
  SimulatedDevice device(100_MiB);
  const auto at = device.allocate(20_MiB, one_stream);
  EXPECT_EQ(device.allocate(200_MiB, one_stream), std::nullopt);
  device.release(*at);
  EXPECT_EQ(device.call_counts(), (DeviceCallCounts{.allocations = 1, .releases = 1}));
}

TEST(SimulatedDevice, units_given_back_are_counted_as_created) {
  SimulatedDevice device(100_MiB);
  const Address at = *device.reserve(120_MiB, one_stream);
  EXPECT_FALSE(device.map({at, 20_MiB, 6}));
  EXPECT_TRUE(device.map({at, 20_MiB, 1}));
  device.unmap({at, 20_MiB, 1});
  EXPECT_EQ(device.call_counts().units_created, 6U);
}

TEST(SimulatedDevice, waits_for_complete_events_are_counted_too) {
  SimulatedDevice device(100_MiB);
  const auto event = device.record_event(one_stream);
  EXPECT_TRUE(device.is_complete(event));
  device.wait_for_event(event);
  EXPECT_EQ(device.call_counts().event_waits, 1U);
}

TEST(SimulatedDevice, release_waits_for_all_work_unless_told_otherwise) {
  for (const bool waits : {true, false}) {
    SimulatedDevice device(MemoryOptions{.total = 100_MiB, .release_waits = waits});
    const auto at = device.allocate(20_MiB, one_stream);
    device.submit_work(other_stream);
    const auto event = device.record_event(other_stream);
    device.release(*at);
    EXPECT_EQ(device.is_complete(event), waits);
  }
}

TEST(SimulatedDevice, knows_whether_an_event_may_have_become_complete_and_counts_the_questions) {
  SimulatedDevice device(100_MiB);
  device.submit_work(one_stream);
  device.submit_work(other_stream);
  const auto event = device.record_event(one_stream);
  allocator::CompletionMark mark;
  EXPECT_FALSE(device.none_complete_since(mark, 3)) << "nobody has asked yet";
  EXPECT_FALSE(device.is_complete(event));
  EXPECT_TRUE(device.none_complete_since(mark, 3));
  EXPECT_EQ(device.call_tally().count(DeviceCall::query_event), 4U);
  device.complete_work(other_stream);
  EXPECT_FALSE(device.none_complete_since(mark, 3));
  EXPECT_TRUE(device.none_complete_since(mark, 3));
}

TEST(SimulatedDevice, releasing_memory_waits_for_every_stream) {
  SimulatedDevice device(100_MiB);
  const auto at = device.allocate(2_MiB, one_stream);
  device.submit_work(one_stream);
  device.submit_work(other_stream);
  const auto event = device.record_event(other_stream);
  EXPECT_FALSE(device.is_complete(event));
  device.release(*at);
  EXPECT_TRUE(device.is_complete(event));
  EXPECT_FALSE(device.has_pending_work(one_stream));
}

TEST(SimulatedDevice, unmapping_waits_for_nothing) {
  SimulatedDevice device(100_MiB);
  const Address at = *device.reserve(2_MiB, one_stream);
  ASSERT_TRUE(device.map({at, 2_MiB, 1}));
  device.submit_work(one_stream);
  device.unmap({at, 2_MiB, 1});
  device.release_reservation(at, 2_MiB);
  EXPECT_TRUE(device.has_pending_work(one_stream));
  device.wait_for_stream(one_stream);
  EXPECT_FALSE(device.has_pending_work(one_stream));
}

TEST(SimulatedDevice, work_on_a_capturing_stream_is_a_node_and_does_not_run) {
  SimulatedDevice device(100_MiB);
  device.begin_capture(one_stream);
  device.submit_work(one_stream);
  EXPECT_FALSE(device.has_pending_work(one_stream));
  EXPECT_EQ(device.capture_of(one_stream)->terminals.size(), 1U);
  device.end_capture(one_stream);
  device.submit_work(one_stream);
  EXPECT_TRUE(device.has_pending_work(one_stream));
}

TEST(SimulatedDevice, other_users_memory_is_not_free) {
  SimulatedDevice device(100_MiB);
  device.set_external_memory(90_MiB);
  EXPECT_EQ(device.memory_info().free, 10_MiB);
  EXPECT_EQ(device.memory_info().total, 100_MiB);
  EXPECT_EQ(device.allocate(20_MiB, one_stream), std::nullopt);
}

}  // namespace
}  // namespace vramlab::streams
