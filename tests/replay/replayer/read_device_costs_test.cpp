#include "replay/replayer/read_device_costs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/kit/own_folder.h"
#include "traces/io/input_error.h"

namespace vramlab::tests {
namespace {

using streams::DeviceCall;
using testing::HasSubstr;

class ReadDeviceCosts : public testing::Test {
 protected:
  ~ReadDeviceCosts() override { std::filesystem::remove(path_); }
  streams::DeviceCosts read(const std::string& calls) {
    std::ofstream(path_) << R"({"schema_version": 1, "gpu": "some GPU", "driver": 13000, "calls": )"
                         << calls << "}";
    return replay::read_device_costs(path_);
  }
  std::string refusal(const std::string& calls) {
    try {
      read(calls);
    } catch (const traces::InputError& error) {
      return error.what();
    }
    return "none";
  }

  /// Other tests run at the same time.
  std::string path_ = support::own_folder() + "device_costs_" +
                      testing::UnitTest::GetInstance()->current_test_info()->name() + ".json";
};

TEST_F(ReadDeviceCosts, functions_of_the_driver_stand_for_calls_of_the_device) {
  const streams::DeviceCosts costs = read(R"([
      {"call": "cuMemAlloc", "bytes": 100, "nanoseconds": 7, "p95_nanoseconds": 9},
      {"call": "cuEventQuery", "bytes": 0, "nanoseconds": 3, "count": 2},
      {"call": "cuMemGetInfo", "nanoseconds": 1000}])");
  EXPECT_EQ(costs.nanoseconds_of(DeviceCall::allocate, {100}), 7U);
  EXPECT_EQ(costs.nanoseconds_of(DeviceCall::query_event, {}), 3U);
  EXPECT_EQ(costs.rows().size(), 2U);
  EXPECT_THAT(costs.origin(), HasSubstr(", some GPU, 13000"));
}

TEST_F(ReadDeviceCosts, whatever_stands_for_gpu_driver_and_date_is_told_as_it_is) {
  std::ofstream(path_) << R"({"schema_version": 1, "gpu": null, "driver": 570.25, "date": -1,
                              "calls": [{"call": "cuEventQuery", "nanoseconds": 3}]})";
  EXPECT_THAT(replay::read_device_costs(path_).origin(), HasSubstr(", null, 570.25, -1"));
}

TEST_F(ReadDeviceCosts, what_maps_and_unmaps_is_two_functions_each) {
  const streams::DeviceCosts costs = read(R"([
      {"call": "cuMemMap", "bytes": 64, "nanoseconds": 5},
      {"call": "cuMemSetAccess", "bytes": 64, "nanoseconds": 20},
      {"call": "cuMemRelease", "bytes": 64, "nanoseconds": 1},
      {"call": "cuMemUnmap", "bytes": 64, "nanoseconds": 2}])");
  EXPECT_EQ(costs.nanoseconds_of(DeviceCall::map, {64}), 25U);
  EXPECT_EQ(costs.nanoseconds_of(DeviceCall::unmap, {64}), 3U);
}

TEST_F(ReadDeviceCosts, what_is_wrong_is_told_with_its_place) {
  EXPECT_THAT(refusal("[]"), HasSubstr("between 1 and 10000 calls"));
  EXPECT_THAT(refusal(R"([{"call": "allocate", "bytes": 1, "nanoseconds": 1}])"),
              HasSubstr("a function of the driver, such as cuMemAlloc"));
  EXPECT_THAT(refusal(R"([{"call": "cuMemFree", "nanoseconds": 1}])"),
              HasSubstr("bytes above 0, as the call has a size"));
  EXPECT_THAT(refusal(R"([{"call": "cuEventRecord", "bytes": 1, "nanoseconds": 1}])"),
              HasSubstr("no bytes, as the call has no size"));
  const std::string row = R"({"call": "cuMemGetInfo", "nanoseconds": 1})";
  EXPECT_THAT(refusal("[" + row + ", " + row + "]"), HasSubstr("each call and size once"));
}

}  // namespace
}  // namespace vramlab::tests
