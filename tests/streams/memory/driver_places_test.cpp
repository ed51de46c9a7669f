// Ranges lie where an H200's driver put them, in the recorded calls of h200_places.txt.
#include "streams/memory/driver_places.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/processes/places.h"

namespace vramlab::streams {
namespace {

using namespace allocator::literals;

struct RecordedCall {
  std::string what;
  std::uint64_t mebibytes = 0;
  Address at;
};
/// The end of the context's regions stands in the first line.
struct RecordedPlaces {
  Address end;
  std::vector<RecordedCall> calls;
};

RecordedPlaces recorded(const std::string& name) {
  RecordedPlaces found;
  std::ifstream file(support::source_dir() + "/tests/streams/memory/h200_places.txt");
  std::string line;
  std::string section;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    RecordedCall call;
    words >> call.what;
    if (call.what == "process") {
      words >> section;
      if (section == name) words >> std::hex >> found.end.value;
    } else if (section == name && call.what != "kernel") {
      words >> call.mebibytes >> std::hex >> call.at.value;
    }
    if (section == name && call.what != "process") found.calls.push_back(call);
  }
  return found;
}

class H200Places : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Processes, H200Places,
                         ::testing::Values("without_kernels", "with_kernels"));

TEST_P(H200Places, are_given) {
  const RecordedPlaces process = recorded(GetParam());
  ASSERT_GE(process.calls.size(), 200U);
  DriverPlaces places({Address{}, process.end});
  for (const RecordedCall& call : process.calls) {
    if (call.what == "kernel") {
      places.reach(WorkSoFar::kernels);
    } else if (call.what == "free") {
      places.give_back(call.at);
    } else {
      ASSERT_EQ(places.take(1_MiB * call.mebibytes), call.at) << call.mebibytes << " MiB";
    }
  }
}

TEST(DriverPlaces, have_no_room_beyond_their_window) {
  DriverPlaces places({Address{}, {4ULL << 30}});
  // The hole has 3584 MiB, and a region leaves 32 of them.
  EXPECT_FALSE(places.take(3553_MiB));
  EXPECT_EQ(places.take(3552_MiB), Address{(32_MiB).count});
}

TEST(DriverPlaces, do_not_cross_regions) {
  DriverPlaces places({Address{}, {64ULL << 30}});
  const Address high = places.take(40_MiB).value();
  const Address low = places.take(40_MiB).value();
  ASSERT_EQ(low + 64_MiB, high);
  // Each has 24 MiB left.
  EXPECT_EQ(places.take(32_MiB), Address{low.value - (32_MiB).count});
  EXPECT_EQ(places.take(24_MiB), low + 40_MiB);
}

TEST(DriverPlaces, of_libraries_are_those_of_kernels_with_less_room) {
  DriverPlaces kernels({Address{}, {64ULL << 30}});
  DriverPlaces libraries({Address{}, {64ULL << 30}});
  kernels.reach(WorkSoFar::kernels);
  libraries.reach(WorkSoFar::libraries);
  libraries.reach(WorkSoFar::kernels);
  EXPECT_EQ(libraries.take(100_MiB).value() - kernels.take(100_MiB).value(), 74_MiB);
}

}  // namespace
}  // namespace vramlab::streams
