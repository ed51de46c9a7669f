#include "tests/support/devices/fault_injecting_device.h"

#include <gtest/gtest.h>

#include "streams/device/simulated_device.h"

namespace vramlab::tests {
namespace {

using namespace allocator::literals;

class FaultInjecting : public ::testing::Test {
 protected:
  streams::SimulatedDevice simulated_{1_GiB};
  FaultInjectingDevice device_{simulated_};
};

TEST_F(FaultInjecting, fails_the_nth_call_only) {
  device_.set_fault(Fault{2});
  EXPECT_TRUE(device_.allocate(2_MiB, {0}).has_value());
  EXPECT_FALSE(device_.allocate(2_MiB, {0}).has_value());
  EXPECT_TRUE(device_.has_failed());
  EXPECT_TRUE(device_.allocate(2_MiB, {0}).has_value());
  EXPECT_EQ(device_.call_count(), 3U);
}

TEST_F(FaultInjecting, reserving_and_mapping_answer_that_there_is_no_room) {
  device_.set_fault(Fault{1});
  EXPECT_FALSE(device_.reserve(2_MiB, {0}).has_value());
  const auto at = device_.reserve(2_MiB, {0});
  device_.set_fault(Fault{1});
  EXPECT_FALSE(device_.map({*at, 2_MiB, 1}));
  EXPECT_EQ(simulated_.used_memory(), 0_B);
}

TEST_F(FaultInjecting, calls_without_such_an_answer_throw_before_anything_changed) {
  const auto at = device_.allocate(2_MiB, {0});
  device_.set_fault(Fault{1});
  EXPECT_THROW(device_.release(*at), allocator::DeviceError);
  EXPECT_EQ(simulated_.used_memory(), 2_MiB);
  device_.release(*at);
  EXPECT_EQ(simulated_.used_memory(), 0_B);
}

TEST_F(FaultInjecting, every_call_can_throw_on_request) {
  device_.set_fault(Fault{1, FaultStyle::always_an_error});
  EXPECT_THROW(device_.allocate(2_MiB, {0}), allocator::DeviceError);
}

TEST_F(FaultInjecting, forgetting_an_event_never_fails) {
  const auto event = device_.record_event({0});
  device_.set_fault(Fault{1});
  device_.forget_event(event);
  EXPECT_FALSE(device_.has_failed());
}

}  // namespace
}  // namespace vramlab::tests
