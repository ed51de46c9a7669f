#include "streams/live/live_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "streams/live/calibration.h"
#include "streams/live/driven_live_device.h"
#include "tests/live/fake_gpu.h"

namespace vramlab::tests {
namespace {

using namespace allocator::literals;
using allocator::DeviceError;
using streams::DriverCallKind;
using streams::LiveDevice;
using streams::StreamNames;
using testing::HasSubstr;

class LiveDeviceTest : public testing::Test {
 protected:
  FakeGpu gpu_{256ULL << 20, fake::FreeRule::returns_at_once};
};

template <class Action>
std::string error_of(const Action& action) {
  try {
    action();
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "no error";
}

TEST_F(LiveDeviceTest, a_failure_that_is_not_about_memory_has_the_drivers_name) {
  LiveDevice device(gpu_.driver(), {});
  gpu_.fail_once("cuMemAlloc_v2", CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_THAT(error_of([&] { static_cast<void>(device.allocate(2_MiB, {0})); }),
              HasSubstr("cuMemAlloc: CUDA_ERROR_ILLEGAL_ADDRESS"));
  EXPECT_EQ(device.used_memory(), 0_B);
}

TEST_F(LiveDeviceTest, a_driver_that_is_gone_is_told_apart) {
  LiveDevice device(gpu_.driver(), {});
  gpu_.fail_once("cuMemAlloc_v2", CUDA_ERROR_DEINITIALIZED);
  EXPECT_THROW(static_cast<void>(device.allocate(2_MiB, {0})), streams::DriverIsGone);
}

TEST_F(LiveDeviceTest, the_current_context_is_what_it_was) {
  LiveDevice device(gpu_.driver(), {});
  CUcontext current = nullptr;
  gpu_.driver().context_current(&current);
  EXPECT_EQ(current, nullptr);
  static_cast<void>(device.allocate(2_MiB, {0}));
  gpu_.driver().context_current(&current);
  EXPECT_EQ(current, nullptr);
}

TEST_F(LiveDeviceTest, the_thread_may_do_again_only_what_it_might_before_in_a_capture) {
  LiveDevice device(gpu_.driver(), {});
  static_cast<void>(device.memory_info());
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  gpu_.driver().exchange_capture_mode(&mode);
  EXPECT_EQ(mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

TEST_F(LiveDeviceTest, units_that_were_made_go_back_when_a_later_one_does_not_fit) {
  LiveDevice device(gpu_.driver(), {});
  const auto at = device.reserve(512_MiB, {0});
  ASSERT_TRUE(at.has_value());
  const auto before = device.driver_memory().free;
  EXPECT_FALSE(device.map({*at, 20_MiB, 20}));
  EXPECT_EQ(device.driver_memory().free, before);
  EXPECT_EQ(device.used_memory(), 0_B);
}

TEST_F(LiveDeviceTest, units_that_were_made_go_back_when_mapping_fails) {
  LiveDevice device(gpu_.driver(), {});
  const auto at = device.reserve(64_MiB, {0});
  const auto before = device.driver_memory().free;
  gpu_.fail_once("cuMemSetAccess", CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_THAT(error_of([&] { static_cast<void>(device.map({*at, 2_MiB, 4})); }),
              HasSubstr("cuMemSetAccess: CUDA_ERROR_NOT_SUPPORTED"));
  EXPECT_EQ(device.driver_memory().free, before);
  EXPECT_TRUE(device.map({*at, 2_MiB, 4}));
}

TEST_F(LiveDeviceTest, a_limit_stands_before_the_driver_is_asked) {
  LiveDevice device(gpu_.driver(), {.memory_limit = 20_MiB});
  EXPECT_EQ(device.memory_info().total, 20_MiB);
  const auto at = device.allocate(12_MiB, {0});
  ASSERT_TRUE(at.has_value());
  EXPECT_EQ(device.memory_info().free, 8_MiB);
  EXPECT_FALSE(device.allocate(10_MiB, {0}).has_value());
  device.set_external_memory(8_MiB);
  EXPECT_FALSE(device.allocate(2_MiB, {0}).has_value());
  device.release(*at);
  EXPECT_EQ(device.memory_info().free, 12_MiB);
}

TEST_F(LiveDeviceTest, what_it_still_holds_goes_back_when_it_goes) {
  const auto free_of = [this] { return LiveDevice(gpu_.driver(), {}).driver_memory().free; };
  const auto before = free_of();
  {
    LiveDevice device(gpu_.driver(), {});
    static_cast<void>(device.allocate(20_MiB, {0}));
    const auto at = device.reserve(64_MiB, {0});
    ASSERT_TRUE(device.map({*at, 2_MiB, 3}));
    static_cast<void>(device.record_event({3}));
  }
  EXPECT_EQ(free_of(), before);
}

TEST_F(LiveDeviceTest, events_are_used_again) {
  std::uint64_t made = 0;
  streams::LiveOptions options;
  options.timing = {[&made](const streams::DriverCall& call) {
                      if (call.kind == DriverCallKind::event_create) ++made;
                    },
                    [] { return std::uint64_t{0}; }};
  LiveDevice device(gpu_.driver(), options);
  for (int i = 0; i < 10; ++i) {
    const auto event = device.record_event({1});
    EXPECT_TRUE(device.is_complete(event));
    device.forget_event(event);
  }
  EXPECT_EQ(made, 1U);
  EXPECT_EQ(device.event_count(), 0U);
}

TEST_F(LiveDeviceTest, calls_are_timed_by_the_clock_that_was_given) {
  std::uint64_t now = 0;
  streams::DriverCallTimings timings;
  streams::LiveOptions options;
  options.timing = {[&timings](const streams::DriverCall& call) { timings.add(call); },
                    [&now] { return now += 50; }};
  LiveDevice device(gpu_.driver(), options);
  const auto at = device.allocate(20_MiB, {0});
  device.release(*at);
  EXPECT_FALSE(device.allocate(1_GiB, {0}).has_value());
  const auto rows = timings.rows();
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].kind, DriverCallKind::mem_alloc);
  EXPECT_EQ(rows[0].up_to, 32_MiB);
  EXPECT_EQ(rows[0].median_ns, 50U);
  EXPECT_EQ(rows[1].up_to, 1_GiB);
  EXPECT_EQ(rows[1].failed, 1U);
  EXPECT_EQ(rows[2].kind, DriverCallKind::mem_free);
  EXPECT_EQ(rows[2].up_to, 32_MiB);
  EXPECT_EQ(rows[3].kind, DriverCallKind::context_synchronize);
}

TEST_F(LiveDeviceTest, a_capture_is_seen_with_its_nodes) {
  streams::DrivenLiveDevice device(gpu_.driver(), {});
  device.begin_capture({1});
  ASSERT_TRUE(device.capture_of({1}).has_value());
  EXPECT_TRUE(device.capture_of({1})->terminals.empty());
  device.submit_work({1});
  const auto first = device.capture_of({1})->terminals;
  ASSERT_EQ(first.size(), 1U);
  device.wait_for_other_stream({2}, {1});
  device.submit_work({2});
  const auto second = device.capture_of({2});
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->id, device.capture_of({1})->id);
  ASSERT_EQ(second->terminals.size(), 1U);
  EXPECT_EQ(device.dependencies_of(second->terminals[0]), first);
  device.end_capture({2});
  EXPECT_FALSE(device.is_capturing({1}));
  EXPECT_FALSE(device.is_capturing({2}));
}

TEST_F(LiveDeviceTest, memory_can_be_taken_and_given_back_while_a_stream_captures) {
  streams::DrivenLiveDevice device(gpu_.driver(), {});
  device.begin_capture({1});
  const auto at = device.allocate(2_MiB, {1});
  ASSERT_TRUE(at.has_value());
  device.release(*at);
  EXPECT_TRUE(device.is_capturing({1})) << "nothing here may end the capture";
  device.end_capture({1});
}

TEST_F(LiveDeviceTest, a_steered_event_is_complete_when_the_program_says_so) {
  streams::DrivenLiveDevice device(gpu_.driver(), {});
  device.submit_work({1});
  const auto event = device.record_event({1});
  EXPECT_FALSE(device.is_complete(event));
  device.complete_work({1});
  EXPECT_TRUE(device.is_complete(event));
}

TEST_F(LiveDeviceTest, handles_are_streams_of_the_caller) {
  LiveDevice device(gpu_.driver(), {.streams = StreamNames::handles});
  EXPECT_EQ(device.handle_of({0}), nullptr);
  EXPECT_EQ(device.handle_of({2}), CU_STREAM_PER_THREAD);
}

TEST_F(LiveDeviceTest, a_gpu_that_is_not_there_is_a_sentence) {
  const auto found = streams::find_gpu(gpu_.driver(), 7);
  ASSERT_TRUE(std::holds_alternative<streams::NoCudaDriver>(found));
  EXPECT_EQ(std::get<streams::NoCudaDriver>(found).reason,
            "there is no GPU 7: the driver counts 1");
}

TEST_F(LiveDeviceTest, calibration_measures_each_call_and_size) {
  std::uint64_t now = 0;
  const auto calls = streams::calibrate(
      gpu_.driver(), {.repeats = 3, .largest = 8_MiB, .now = [&now] { return now += 7; }});
  std::size_t allocations = 0;
  for (const streams::DriverCallRow& call : calls) {
    EXPECT_EQ(call.median_ns, 7U);
    if (call.kind == DriverCallKind::mem_alloc) {
      ++allocations;
      EXPECT_EQ(call.count, 3U);
    }
  }
  EXPECT_EQ(allocations, 8U) << "from 64 KiB to 8 MiB";
  EXPECT_EQ(calls.front().kind, DriverCallKind::mem_alloc);
  EXPECT_EQ(calls.front().up_to, 64_KiB);
}

}  // namespace
}  // namespace vramlab::tests
