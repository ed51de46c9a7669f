#include "allocator/checks/out_of_memory.h"
#include "allocator/options/size_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vramlab::allocator {
namespace {

using namespace literals;

OutOfMemory failure_on_a_full_device() {
  OutOfMemory failure;
  failure.request = 11_MiB;
  failure.device_size = 20_MiB;
  failure.device_total = 1_GiB;
  failure.device_free = 0_B;
  failure.allocated = 500_MiB;
  failure.reserved = 1000_MiB;
  return failure;
}

TEST(OutOfMemoryMessage, names_the_figures_in_the_reference_s_order) {
  EXPECT_EQ(
      out_of_memory_message(failure_on_a_full_device()),
      "Out of memory: 20.00 MiB were asked of GPU 0, which has 1.00 GiB in total and 0 bytes "
      "free. The allocator holds 500.00 MiB allocated, and 500.00 MiB reserved but unallocated. "
      "If much is reserved but unallocated, expandable_segments:True may help against "
      "fragmentation.");
}

TEST(OutOfMemoryMessage, a_limit_is_named_where_there_is_one) {
  OutOfMemory failure = failure_on_a_full_device();
  failure.allowed = 512_MiB;
  EXPECT_NE(out_of_memory_message(failure).find("fraction allows 512.00 MiB."), std::string::npos);
}

TEST(OutOfMemoryMessage, free_blocks_of_private_pools_count_as_allocated) {
  OutOfMemory failure = failure_on_a_full_device();
  failure.free_in_private_pools = 100_MiB;
  EXPECT_NE(out_of_memory_message(failure).find(
                "600.00 MiB allocated, 100.00 MiB of it free in private pools, and 400.00 MiB"),
            std::string::npos);
}

TEST(OutOfMemoryMessage, a_reserve_that_is_too_small_is_named_with_its_options) {
  OutOfMemory failure = failure_on_a_full_device();
  failure.exceeded_reserve = 16_MiB;
  EXPECT_THAT(out_of_memory_message(failure),
              testing::EndsWith(
                  "The request exceeds the 16.00 MiB of addresses that an expandable segment "
                  "reserves, and no request spans two segments: expandable_segments_reserve or "
                  "expandable_segments_reserve_by_class has to be at least 20.00 MiB, or unset."));
}

TEST(OutOfMemoryMessage, a_rejection_names_the_request_as_it_was_made) {
  OutOfMemory failure = failure_on_a_full_device();
  failure.outcome = MallocOutcome::rejected;
  EXPECT_EQ(out_of_memory_message(failure),
            "Out of memory: refused before the device was asked, because the request of 11.00 MiB "
            "would exceed per_process_memory_fraction.");
}

TEST(OutOfMemoryMessage, an_absurd_request_has_no_figures_of_the_device) {
  OutOfMemory failure;
  failure.request = request_limit;
  EXPECT_EQ(out_of_memory_message(failure),
            "Out of memory: more than 1EB was asked for, which no device has.");
}

}  // namespace
}  // namespace vramlab::allocator
