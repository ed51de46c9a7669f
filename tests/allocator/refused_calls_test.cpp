// Calls that must not be made: the error says why, and nothing has changed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "allocator/types/answers.h"
#include "tests/support/devices/allocator_setup.h"

namespace vramlab::tests {
namespace {

using namespace allocator;
using namespace allocator::literals;
using testing::AllOf;
using testing::HasSubstr;

/// A setup with blocks of every kind.
class RefusedCalls : public testing::Test {
 protected:
  RefusedCalls() {
    live_ = setup_.get(5_MiB);
    freed_ = setup_.get(5_MiB);
    waiting_ = setup_.get(5_MiB);
    setup_.use_on(3, waiting_);
    setup_.free(waiting_);
    setup_.free(freed_);
    setup_.begin_scope(7, 9);
    setup_.get(5_MiB, 9);
    setup_.end_scope(7);
  }

  /// The text of the refused call, which must leave everything as it was.
  std::string refusal(const std::function<void()>& call) {
    const Snapshot snapshot = setup_.engine.take_snapshot();
    const StatisticValues statistics = setup_.statistics();
    const auto history = setup_.history().entries();
    const auto device_calls = setup_.device.call_counts();
    std::string said = "nothing was refused";
    try {
      call();
    } catch (const AllocatorError& error) {
      said = error.what();
    }
    EXPECT_EQ(setup_.statistics(), statistics);
    EXPECT_EQ(setup_.history().entries(), history);
    EXPECT_EQ(setup_.device.call_counts(), device_calls);
    EXPECT_EQ(setup_.engine.take_snapshot(), snapshot);
    return said;
  }

  AllocatorSetup setup_;
  Address live_, freed_, waiting_;
};

TEST_F(RefusedCalls, freeing_an_address_that_was_never_handed_out) {
  EXPECT_THAT(refusal([&] { setup_.free({0x1234000}); }),
              AllOf(HasSubstr("0x1234000"), HasSubstr("freed")));
}

TEST_F(RefusedCalls, freeing_an_address_inside_a_block) {
  EXPECT_THAT(refusal([&] { setup_.free(live_ + 512_B); }), HasSubstr("cannot be freed"));
}

TEST_F(RefusedCalls, freeing_the_null_address) {
  EXPECT_THAT(refusal([&] { setup_.free({0}); }), HasSubstr("cannot be freed"));
}

TEST_F(RefusedCalls, freeing_twice) {
  EXPECT_THAT(refusal([&] { setup_.free(freed_); }),
              AllOf(HasSubstr("0x7f0000500000"), HasSubstr("freed")));
}

TEST_F(RefusedCalls, freeing_twice_while_the_block_waits) {
  EXPECT_THAT(refusal([&] { setup_.free(waiting_); }), HasSubstr("0x7f0000a00000"));
}

TEST_F(RefusedCalls, a_use_of_an_address_that_is_not_in_use) {
  EXPECT_THAT(refusal([&] { setup_.engine.record_stream({0x1234000}, {4}); }),
              AllOf(HasSubstr("0x1234000"), HasSubstr("used on a stream")));
  EXPECT_THAT(refusal([&] { setup_.engine.record_stream(waiting_, {4}); }),
              HasSubstr("0x7f0000a00000"));
}

TEST_F(RefusedCalls, a_scope_of_the_device_s_own_pool) {
  EXPECT_THAT(
      refusal([&] { setup_.engine.begin_scope(default_pool, [](StreamId) { return true; }); }),
      HasSubstr("private pool"));
}

TEST_F(RefusedCalls, a_second_scope_of_a_pool) {
  setup_.begin_scope(7, 9);
  EXPECT_THAT(refusal([&] { setup_.begin_scope(7); }), HasSubstr("open already"));
  setup_.end_scope(7);
}

TEST_F(RefusedCalls, a_scope_of_a_pool_that_nobody_uses_any_more) {
  setup_.engine.release_pool({0, 7});
  EXPECT_THAT(refusal([&] { setup_.begin_scope(7); }), HasSubstr("nobody uses it any more"));
}

TEST_F(RefusedCalls, the_end_of_a_scope_that_is_not_open) {
  EXPECT_THAT(refusal([&] { setup_.end_scope(7); }), HasSubstr("no capture scope"));
  EXPECT_THAT(refusal([&] { setup_.end_scope(99); }), HasSubstr("(0, 99)"));
}

TEST_F(RefusedCalls, giving_back_a_pool_too_often) {
  EXPECT_THAT(refusal([&] { setup_.engine.release_pool({0, 99}); }), HasSubstr("no such pool"));
  setup_.engine.release_pool({0, 7});
  EXPECT_THAT(refusal([&] { setup_.engine.release_pool({0, 7}); }), HasSubstr("nobody uses it"));
}

TEST_F(RefusedCalls, emptying_the_cache_while_a_scope_is_open) {
  setup_.begin_scope(7, 9);
  EXPECT_THAT(refusal([&] { setup_.engine.empty_cache(); }), HasSubstr("during a capture"));
  setup_.end_scope(7);
}

TEST_F(RefusedCalls, a_fraction_that_is_none) {
  for (const double fraction : {-0.1, 1.1, std::nan(""), HUGE_VAL})
    EXPECT_THAT(refusal([&] { setup_.engine.set_memory_fraction(fraction); }),
                HasSubstr("between 0 and 1"));
  EXPECT_FALSE(setup_.engine.core().allowed);
}

TEST_F(RefusedCalls, a_pool_object_with_the_device_s_own_id) {
  EXPECT_THAT(refusal([&] { setup_.engine.create_pool(default_pool, {}); }), HasSubstr("(0, 0)"));
  EXPECT_THAT(refusal([&] { setup_.engine.destroy_pool({0, 99}); }), HasSubstr("no such pool"));
}

TEST_F(RefusedCalls, an_option_string_with_an_error_says_which_option) {
  const auto error = setup_.engine.set_options("max_split_size_mb:5");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->option, "max_split_size_mb");
}

TEST(LargestDevice, a_larger_one_is_refused) {
  streams::SimulatedDevice device(2048_GiB);
  try {
    const BareAllocator engine(device, default_reference_version());
    FAIL() << "accepted";
  } catch (const AllocatorError& error) {
    EXPECT_THAT(error.what(), HasSubstr("larger than"));
  }
}

TEST(LargestDevice, one_just_below_it_works_to_its_end) {
  AllocatorSetup setup({.device_total = 1600_GiB, .options = "expandable_segments:True"});
  const Address address = setup.get(1500_GiB);
  setup.free(address);
  setup.set_options("expandable_segments:False");
  setup.engine.empty_cache();
  setup.free(setup.get(1600_GiB));
}

}  // namespace
}  // namespace vramlab::tests
