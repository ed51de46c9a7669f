// Memory of a device lies where NVIDIA's driver for Linux would put it, if that was asked for.
#include "tools/cuda_standins/model/device_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <utility>
#include <vector>

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

// A program that reads before anything was written finds the same in each run.
TEST(MemoryOnTheHost, begins_with_zeros_even_where_memory_lay_before) {
  std::vector<std::vector<char>> before(16, std::vector<char>(20'000, '\xab'));
  for (std::size_t index = 0; index < before.size(); index += 2) before[index] = {};
  for (const MemoryKind kind : {MemoryKind::managed, MemoryKind::pinned_host}) {
    DeviceMemory memory{DriverOptions{}};
    for (int round = 0; round < 3; ++round) {
      const std::uint64_t at = memory.allocate({.bytes = 6000, .kind = kind}).value();
      auto* const words = reinterpret_cast<unsigned char*>(at);
      EXPECT_EQ(std::count(words, words + 6000, 0), 6000);
      std::fill(words, words + 6000, 0xab);
      memory.release(at);
    }
  }
}

class OccupiedAddresses : public ::testing::Test {
 protected:
  static constexpr AddressPlan first = {{{0x200000000000}, {0x210000000000}},
                                        {{0x220000000000}, {0x230000000000}}};
  static constexpr AddressPlan second = {{{0x200000000000}, {0x210000000000}},
                                         {{0x240000000000}, {0x250000000000}}};
  static DriverOptions options(std::vector<AddressPlan> others) {
    DriverOptions options;
    options.addresses = first;
    options.other_addresses = std::move(others);
    options.backing = Backing::reserved_addresses;
    return options;
  }
  void SetUp() override {
    ASSERT_EQ(
        mmap(occupied, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0),
        occupied);
  }
  void TearDown() override { munmap(occupied, 4096); }

  void* const occupied = reinterpret_cast<void*>(0x228000000000);
};

TEST_F(OccupiedAddresses, are_left_to_the_program) {
  DeviceMemory memory{options({second})};
  EXPECT_EQ(memory.allocate({.bytes = 64 << 20}).value(), second.allocations.begin.value);
  EXPECT_EQ(memory.reserve(64 << 20).value(), second.reservations.begin.value);
}

TEST_F(OccupiedAddresses, are_told_where_there_are_no_others) {
  EXPECT_THROW(DeviceMemory{options({})}, std::runtime_error);
  // A refused plan leaves no addresses taken.
  EXPECT_NO_THROW(DeviceMemory{options({second})});
}

}  // namespace
}  // namespace vramlab::dry_run
