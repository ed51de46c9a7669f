#include <cstring>

#include "tests/cuda_standins/runtime/runtime_test.h"
#include "tools/cuda_standins/runtime/devices.h"

extern "C" int cudaGetDeviceProperties(void* into, int device);
extern "C" int cudaGetDeviceProperties_v2(void* into, int device);

namespace vramlab::dry_run {
namespace {

template <class Value>
Value read(const char* from, std::size_t place) {
  Value value;
  std::memcpy(&value, from + place, sizeof value);
  return value;
}

// Places as the headers of CUDA 12 have them.
constexpr std::size_t memory_place = 288;
constexpr std::size_t major_place = 360;
constexpr std::size_t minor_place = 364;
constexpr std::size_t multiprocessors_place = 388;

class RuntimeProperties : public RuntimeTest {
 protected:
  int attribute(int number) {
    int value = -1;
    cudaDeviceGetAttribute(&value, number, 0);
    return value;
  }
};

TEST_F(RuntimeProperties, fields_have_the_places_of_cuda_12) {
  char told[property_bytes_12];
  ASSERT_EQ(cudaGetDeviceProperties_v2(told, 0), error::success);
  std::size_t free = 0;
  std::size_t total = 0;
  ASSERT_EQ(cudaMemGetInfo(&free, &total), error::success);
  EXPECT_EQ(read<std::size_t>(told, memory_place), total);
  EXPECT_EQ(read<int>(told, major_place), attribute(75));
  EXPECT_EQ(read<int>(told, minor_place), attribute(76));
  EXPECT_EQ(read<int>(told, multiprocessors_place), attribute(16));
  EXPECT_GT(std::strlen(told), 0U);
}

TEST_F(RuntimeProperties, struct_of_cuda_11_is_not_written_beyond_its_end) {
  char told[property_bytes_12];
  std::memset(told, 'x', sizeof told);
  ASSERT_EQ(cudaGetDeviceProperties(told, 0), error::success);
  EXPECT_EQ(read<int>(told, major_place), attribute(75));
  EXPECT_EQ(told[property_bytes_11 - 1], '\0');
  EXPECT_EQ(told[property_bytes_11], 'x');
}

TEST_F(RuntimeProperties, fields_fit_into_the_struct) {
  std::size_t place = 296;
  for (const PropertyField& field : property_fields()) {
    if (!is_of_this_version(field)) continue;
    const auto width = static_cast<std::size_t>(field.width);
    place = (place + width - 1) / width * width + width;
    if (field.attribute == last_attribute_11) {
      EXPECT_EQ(place, property_bytes_11);
    }
  }
  EXPECT_LE(place, property_bytes_12);
}

TEST_F(RuntimeProperties, device_that_is_not_there_is_refused) {
  char told[property_bytes_12];
  EXPECT_EQ(cudaGetDeviceProperties_v2(told, 9), error::invalid_device);
}

}  // namespace
}  // namespace vramlab::dry_run
