// The device contract: what the allocator relies on, as one suite that every Device passes, and a
// second one for devices with ranges of addresses.
//
// A device takes part with a traits type: `make()` gives a fresh device as a unique_ptr, `unit` is
// a size that it maps and allocates in, `memory_is_exact` says that nobody else uses its memory and
// that free bytes change by exactly what is taken. Instantiate in a test file of its own:
//   INSTANTIATE_TYPED_TEST_SUITE_P(Name, DeviceContract, Traits);
//   INSTANTIATE_TYPED_TEST_SUITE_P(Name, RangeContract, Traits);
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "allocator/types/device.h"

namespace vramlab::tests {

template <typename Traits>
class DeviceContract : public ::testing::Test {
 protected:
  using Address = allocator::Address;
  using Bytes = allocator::Bytes;

  Bytes free_bytes() { return device_->memory_info().free; }
  /// Compares amounts of free memory on devices where they are exact.
  void expect_free(Bytes expected) {
    if (Traits::memory_is_exact) {
      EXPECT_EQ(free_bytes().count, expected.count);
    }
  }
  static Bytes unit() { return Traits::unit; }

  decltype(Traits::make()) owner_ = Traits::make();
  allocator::Device* device_ = owner_.get();
};

TYPED_TEST_SUITE_P(DeviceContract);

TYPED_TEST_P(DeviceContract, free_memory_is_never_more_than_there_is) {
  const allocator::MemoryInfo info = this->device_->memory_info();
  EXPECT_LE(info.free.count, info.total.count);
  EXPECT_GT(info.total.count, 0U);
}

TYPED_TEST_P(DeviceContract, released_memory_is_free_again) {
  const auto before = this->free_bytes();
  const auto at = this->device_->allocate(this->unit(), {0});
  ASSERT_TRUE(at.has_value());
  this->expect_free(before - this->unit());
  this->device_->release(*at);
  this->expect_free(before);
}

TYPED_TEST_P(DeviceContract, allocations_do_not_overlap) {
  const auto first = this->device_->allocate(this->unit() * 2, {0});
  const auto second = this->device_->allocate(this->unit(), {1});
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(*first + this->unit() * 2 <= *second || *second + this->unit() <= *first);
  this->device_->release(*first);
  this->device_->release(*second);
}

TYPED_TEST_P(DeviceContract, more_than_there_is_gives_nothing_and_changes_nothing) {
  const auto before = this->free_bytes();
  EXPECT_FALSE(this->device_->allocate(this->device_->memory_info().total * 2, {0}).has_value());
  this->expect_free(before);
}

TYPED_TEST_P(DeviceContract, an_event_that_was_waited_for_is_complete) {
  const auto event = this->device_->record_event({0});
  this->device_->wait_for_event(event);
  EXPECT_TRUE(this->device_->is_complete(event));
  this->device_->forget_event(event);
}

TYPED_TEST_P(DeviceContract, waiting_for_a_stream_completes_its_events) {
  const auto first = this->device_->record_event({0});
  const auto second = this->device_->record_event({0});
  this->device_->wait_for_stream({0});
  EXPECT_TRUE(this->device_->is_complete(first));
  EXPECT_TRUE(this->device_->is_complete(second));
  this->device_->forget_event(first);
  this->device_->forget_event(second);
}

TYPED_TEST_P(DeviceContract, releasing_memory_completes_all_events) {
  const auto at = this->device_->allocate(this->unit(), {0});
  ASSERT_TRUE(at.has_value());
  const auto event = this->device_->record_event({0});
  this->device_->release(*at);
  EXPECT_TRUE(this->device_->is_complete(event));
  this->device_->forget_event(event);
}

TYPED_TEST_P(DeviceContract, a_stream_takes_part_in_no_capture_by_itself) {
  EXPECT_FALSE(this->device_->capture_of({0}).has_value());
}

REGISTER_TYPED_TEST_SUITE_P(DeviceContract, free_memory_is_never_more_than_there_is,
                            released_memory_is_free_again, allocations_do_not_overlap,
                            more_than_there_is_gives_nothing_and_changes_nothing,
                            an_event_that_was_waited_for_is_complete,
                            waiting_for_a_stream_completes_its_events,
                            releasing_memory_completes_all_events,
                            a_stream_takes_part_in_no_capture_by_itself);

template <typename Traits>
class RangeContract : public DeviceContract<Traits> {
 protected:
  allocator::Address reserve_units(std::uint64_t count) {
    const auto at = this->device_->reserve(this->unit() * count, allocator::StreamId{0});
    EXPECT_TRUE(at.has_value());
    return at.value_or(allocator::Address{});
  }
};

TYPED_TEST_SUITE_P(RangeContract);

TYPED_TEST_P(RangeContract, reserving_addresses_takes_no_memory) {
  const auto before = this->free_bytes();
  const auto at = this->reserve_units(8);
  this->expect_free(before);
  this->device_->release_reservation(at, this->unit() * 8);
  this->expect_free(before);
}

TYPED_TEST_P(RangeContract, more_addresses_than_memory_can_be_reserved) {
  const auto size = allocator::round_up(this->device_->memory_info().total * 2, this->unit());
  const auto at = this->device_->reserve(size, {0});
  ASSERT_TRUE(at.has_value());
  this->device_->release_reservation(*at, size);
}

TYPED_TEST_P(RangeContract, mapped_units_take_memory_until_they_are_unmapped) {
  const auto at = this->reserve_units(4);
  const auto before = this->free_bytes();
  ASSERT_TRUE(this->device_->map({at, this->unit(), 3}));
  this->expect_free(before - this->unit() * 3);
  this->device_->unmap({at, this->unit(), 3});
  this->expect_free(before);
  this->device_->release_reservation(at, this->unit() * 4);
}

TYPED_TEST_P(RangeContract, units_mapped_together_can_be_unmapped_one_by_one) {
  const auto at = this->reserve_units(3);
  const auto before = this->free_bytes();
  ASSERT_TRUE(this->device_->map({at, this->unit(), 3}));
  this->device_->unmap({at + this->unit(), this->unit(), 1});
  this->expect_free(before - this->unit() * 2);
  ASSERT_TRUE(this->device_->map({at + this->unit(), this->unit(), 1}));
  this->device_->unmap({at, this->unit(), 3});
  this->expect_free(before);
  this->device_->release_reservation(at, this->unit() * 3);
}

TYPED_TEST_P(RangeContract, units_mapped_one_by_one_can_be_unmapped_together) {
  const auto at = this->reserve_units(3);
  ASSERT_TRUE(this->device_->map({at + this->unit() * 2, this->unit(), 1}));
  ASSERT_TRUE(this->device_->map({at, this->unit(), 1}));
  ASSERT_TRUE(this->device_->map({at + this->unit(), this->unit(), 1}));
  this->device_->unmap({at, this->unit(), 3});
  this->device_->release_reservation(at, this->unit() * 3);
}

TYPED_TEST_P(RangeContract, mapping_more_than_fits_maps_nothing) {
  const auto before = this->free_bytes();
  const std::uint64_t too_many = before / this->unit() + 1;
  const auto at = this->reserve_units(too_many);
  EXPECT_FALSE(this->device_->map({at, this->unit(), too_many}));
  this->expect_free(before);
  ASSERT_TRUE(this->device_->map({at, this->unit(), 1}));
  this->device_->unmap({at, this->unit(), 1});
  this->device_->release_reservation(at, this->unit() * too_many);
}

REGISTER_TYPED_TEST_SUITE_P(RangeContract, reserving_addresses_takes_no_memory,
                            more_addresses_than_memory_can_be_reserved,
                            mapped_units_take_memory_until_they_are_unmapped,
                            units_mapped_together_can_be_unmapped_one_by_one,
                            units_mapped_one_by_one_can_be_unmapped_together,
                            mapping_more_than_fits_maps_nothing);

}  // namespace vramlab::tests
