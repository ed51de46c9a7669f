// Memory of a device lies where NVIDIA's driver for Linux would put it, if that was asked for.
#include "tools/cuda_standins/model/device_memory.h"

#include <gtest/gtest.h>

namespace vramlab::dry_run {
namespace {

constexpr std::uint64_t mebibyte = 1 << 20;

class PlacesOfADriver : public ::testing::Test {
 protected:
  static DriverOptions options() {
    DriverOptions options;
    options.places = streams::UsualPlaces::driver;
    return options;
  }
  std::uint64_t allocate(std::uint64_t mebibytes) {
    return memory.allocate({.bytes = mebibytes * mebibyte}).value();
  }

  DeviceMemory memory{options()};
};

TEST_F(PlacesOfADriver, lie_downwards_until_the_first_kernel) {
  const std::uint64_t first = allocate(50);
  EXPECT_EQ(allocate(50), first - 64 * mebibyte);
  memory.note_work(0, streams::WorkSoFar::kernels);
  EXPECT_EQ(allocate(50), first + 64 * mebibyte);
  EXPECT_EQ(allocate(50), first + 114 * mebibyte);
}

TEST_F(PlacesOfADriver, change_with_the_first_work_of_a_library_alone) {
  memory.note_work(0, streams::WorkSoFar::libraries);
  const std::uint64_t first = allocate(50);
  memory.note_work(0, streams::WorkSoFar::libraries);
  memory.note_work(0, streams::WorkSoFar::kernels);
  EXPECT_EQ(allocate(50), first + 50 * mebibyte);
}

TEST_F(PlacesOfADriver, are_used_again) {
  const std::uint64_t first = allocate(50);
  memory.release(first);
  EXPECT_EQ(allocate(40), first);
}

}  // namespace
}  // namespace vramlab::dry_run
