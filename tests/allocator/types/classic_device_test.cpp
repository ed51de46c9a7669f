#include "allocator/types/classic_device.h"

#include <gtest/gtest.h>

#include "allocator/caching_allocator.h"

namespace vramlab::allocator {
namespace {

using namespace literals;

/// Memory without an end.
class EndlessDevice final : public ClassicDevice {
 public:
  MemoryInfo memory_info() override { return {64_GiB, 64_GiB}; }
  std::optional<Address> allocate(Bytes size, StreamId /*stream*/) override {
    const Address at = end_;
    end_ = end_ + size;
    return at;
  }
  void release(Address /*at*/) override { ++releases_; }
  int release_count() const { return releases_; }

 private:
  Address end_{0x1000};
  int releases_ = 0;
};

TEST(ClassicDevice, serves_an_allocator_whose_segments_are_classic) {
  EndlessDevice device;
  CountingAllocator allocator(device, default_reference_version());
  const MallocResult block = allocator.malloc(3_MiB, {1});
  ASSERT_TRUE(block);
  allocator.record_stream(block.address, {2});
  allocator.free(block.address);
  allocator.empty_cache();
  EXPECT_EQ(device.release_count(), 1);
}

TEST(ClassicDevice, expandable_segments_are_refused_and_nothing_is_reserved) {
  EndlessDevice device;
  CountingAllocator allocator(device, default_reference_version());
  ASSERT_FALSE(allocator.set_options("expandable_segments:True"));
  EXPECT_THROW(allocator.malloc(3_MiB, {1}), DeviceError);
  EXPECT_EQ(allocator.core().reserved, 0_B);
  ASSERT_FALSE(allocator.set_options("expandable_segments:False"));
  EXPECT_TRUE(allocator.malloc(3_MiB, {1}));
}

TEST(ClassicDevice, every_event_has_a_number_of_its_own) {
  EndlessDevice device;
  EXPECT_NE(device.record_event({1}), device.record_event({1}));
}

}  // namespace
}  // namespace vramlab::allocator
