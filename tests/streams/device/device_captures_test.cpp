// The captures of a device whose streams are counters.
#include <gtest/gtest.h>

#include "streams/device/simulated_device.h"

namespace vramlab::streams {
namespace {

using Nodes = std::vector<GraphNode>;

constexpr StreamId one{1};
constexpr StreamId two{2};
constexpr StreamId three{3};

Nodes terminals(SimulatedDevice& device, StreamId stream) {
  return device.capture_of(stream)->terminals;
}

TEST(DeviceCaptures, a_capture_begins_without_terminal_nodes) {
  SimulatedDevice device(Bytes{1U << 30U});
  device.begin_capture(one);
  EXPECT_TRUE(device.is_capturing(one));
  EXPECT_FALSE(device.is_capturing(two));
  EXPECT_TRUE(terminals(device, one).empty());
}

TEST(DeviceCaptures, work_becomes_the_only_terminal_and_depends_on_those_before) {
  SimulatedDevice device(Bytes{1U << 30U});
  device.begin_capture(one);
  device.submit_work(one);
  const Nodes before = terminals(device, one);
  device.submit_work(one);
  const Nodes after = terminals(device, one);
  ASSERT_EQ(after.size(), 1U);
  EXPECT_NE(after, before);
  EXPECT_EQ(device.dependencies_of(after.front()), before);
  EXPECT_TRUE(device.dependencies_of(before.front()).empty());
}

TEST(DeviceCaptures, a_waiting_stream_joins_with_the_others_terminals) {
  SimulatedDevice device(Bytes{1U << 30U});
  device.begin_capture(one);
  device.submit_work(one);
  device.wait_for_other_stream(two, one);
  EXPECT_EQ(device.capture_of(two)->id, device.capture_of(one)->id);
  EXPECT_EQ(terminals(device, two), terminals(device, one));
}

TEST(DeviceCaptures, waiting_within_a_capture_adds_terminals) {
  SimulatedDevice device(Bytes{1U << 30U});
  device.begin_capture(one);
  device.wait_for_other_stream(two, one);
  device.submit_work(one);
  device.submit_work(two);
  const Nodes of_second = terminals(device, two);
  device.wait_for_other_stream(one, two);
  device.wait_for_other_stream(one, two);
  EXPECT_EQ(terminals(device, one).size(), 2U);
  EXPECT_EQ(terminals(device, two), of_second);
  device.submit_work(one);
  EXPECT_EQ(device.dependencies_of(terminals(device, one).front()).size(), 2U);
}

TEST(DeviceCaptures, waiting_for_another_graph_or_for_no_capture_changes_nothing) {
  SimulatedDevice device(Bytes{1U << 30U});
  device.begin_capture(one);
  device.begin_capture(two);
  device.submit_work(two);
  device.wait_for_other_stream(one, two);
  EXPECT_TRUE(terminals(device, one).empty());
  device.wait_for_other_stream(one, three);
  device.wait_for_other_stream(three, three);
  EXPECT_FALSE(device.is_capturing(three));
}

TEST(DeviceCaptures, a_capture_ends_for_every_stream_in_it) {
  SimulatedDevice device(Bytes{1U << 30U});
  device.begin_capture(one);
  device.wait_for_other_stream(two, one);
  device.begin_capture(three);
  device.end_capture(two);
  EXPECT_FALSE(device.is_capturing(one));
  EXPECT_FALSE(device.is_capturing(two));
  EXPECT_TRUE(device.is_capturing(three));
}

TEST(DeviceCaptures, captures_and_nodes_are_never_named_twice) {
  SimulatedDevice device(Bytes{1U << 30U});
  device.begin_capture(one);
  device.submit_work(one);
  const auto old = *device.capture_of(one);
  device.end_capture(one);
  device.begin_capture(one);
  device.submit_work(one);
  const auto now = *device.capture_of(one);
  EXPECT_NE(now.id, old.id);
  EXPECT_NE(now.terminals, old.terminals);
}

}  // namespace
}  // namespace vramlab::streams
