// Calls that must not be made: the error says why, and nothing has changed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "allocator/words/answers.h"
#include "tests/support/devices/allocator_world.h"

namespace vramlab::tests {
namespace {

using namespace allocator;
using namespace allocator::literals;
using testing::AllOf;
using testing::HasSubstr;

/// A world with something of everything in it.
class RefusedCalls : public testing::Test {
 protected:
  RefusedCalls() {
    live_ = world_.get(5_MiB);
    freed_ = world_.get(5_MiB);
    waiting_ = world_.get(5_MiB);
    world_.use_on(3, waiting_);
    world_.free(waiting_);
    world_.free(freed_);
    world_.begin_scope(7, 9);
    world_.get(5_MiB, 9);
    world_.end_scope(7);
  }

  /// What the refused call says; it must leave everything as it was.
  std::string refusal(const std::function<void()>& call) {
    const Snapshot snapshot = world_.engine.take_snapshot();
    const StatisticValues statistics = world_.statistics();
    const auto history = world_.history().entries();
    const auto device_calls = world_.device.call_counts();
    std::string said = "nothing was refused";
    try {
      call();
    } catch (const AllocatorError& error) {
      said = error.what();
    }
    EXPECT_EQ(world_.statistics(), statistics);
    EXPECT_EQ(world_.history().entries(), history);
    EXPECT_EQ(world_.device.call_counts(), device_calls);
    EXPECT_EQ(world_.engine.take_snapshot(), snapshot);
    return said;
  }

  AllocatorWorld world_;
  Address live_, freed_, waiting_;
};

TEST_F(RefusedCalls, freeing_an_address_that_was_never_handed_out) {
  EXPECT_THAT(refusal([&] { world_.free({0x1234000}); }),
              AllOf(HasSubstr("0x1234000"), HasSubstr("freed")));
}

TEST_F(RefusedCalls, freeing_an_address_inside_a_block) {
  EXPECT_THAT(refusal([&] { world_.free(live_ + 512_B); }), HasSubstr("cannot be freed"));
}

TEST_F(RefusedCalls, freeing_the_null_address) {
  EXPECT_THAT(refusal([&] { world_.free({0}); }), HasSubstr("cannot be freed"));
}

TEST_F(RefusedCalls, freeing_twice) {
  EXPECT_THAT(refusal([&] { world_.free(freed_); }),
              AllOf(HasSubstr("0x7f0000500000"), HasSubstr("freed")));
}

TEST_F(RefusedCalls, freeing_twice_while_the_block_waits) {
  EXPECT_THAT(refusal([&] { world_.free(waiting_); }), HasSubstr("0x7f0000a00000"));
}

TEST_F(RefusedCalls, a_use_of_an_address_that_is_not_in_use) {
  EXPECT_THAT(refusal([&] { world_.engine.record_stream({0x1234000}, {4}); }),
              AllOf(HasSubstr("0x1234000"), HasSubstr("used on a stream")));
  EXPECT_THAT(refusal([&] { world_.engine.record_stream(waiting_, {4}); }),
              HasSubstr("0x7f0000a00000"));
}

TEST_F(RefusedCalls, a_scope_of_the_device_s_own_pool) {
  EXPECT_THAT(
      refusal([&] { world_.engine.begin_scope(default_pool, [](StreamId) { return true; }); }),
      HasSubstr("private pool"));
}

TEST_F(RefusedCalls, a_second_scope_of_a_pool) {
  world_.begin_scope(7, 9);
  EXPECT_THAT(refusal([&] { world_.begin_scope(7); }), HasSubstr("open already"));
  world_.end_scope(7);
}

TEST_F(RefusedCalls, a_scope_of_a_pool_that_nobody_uses_any_more) {
  world_.engine.release_pool({0, 7});
  EXPECT_THAT(refusal([&] { world_.begin_scope(7); }), HasSubstr("nobody uses it any more"));
}

TEST_F(RefusedCalls, the_end_of_a_scope_that_is_not_open) {
  EXPECT_THAT(refusal([&] { world_.end_scope(7); }), HasSubstr("no capture scope"));
  EXPECT_THAT(refusal([&] { world_.end_scope(99); }), HasSubstr("(0, 99)"));
}

TEST_F(RefusedCalls, giving_back_a_pool_too_often) {
  EXPECT_THAT(refusal([&] { world_.engine.release_pool({0, 99}); }), HasSubstr("no such pool"));
  world_.engine.release_pool({0, 7});
  EXPECT_THAT(refusal([&] { world_.engine.release_pool({0, 7}); }), HasSubstr("nobody uses it"));
}

TEST_F(RefusedCalls, emptying_the_cache_while_a_scope_is_open) {
  world_.begin_scope(7, 9);
  EXPECT_THAT(refusal([&] { world_.engine.empty_cache(); }), HasSubstr("scope is open"));
  world_.end_scope(7);
}

TEST_F(RefusedCalls, a_fraction_that_is_none) {
  for (const double fraction : {-0.1, 1.1, std::nan(""), HUGE_VAL})
    EXPECT_THAT(refusal([&] { world_.engine.set_memory_fraction(fraction); }),
                HasSubstr("between 0 and 1"));
  EXPECT_FALSE(world_.engine.core().allowed);
}

TEST_F(RefusedCalls, a_pool_object_with_the_device_s_own_id) {
  EXPECT_THAT(refusal([&] { world_.engine.create_pool(default_pool, {}); }), HasSubstr("(0, 0)"));
  EXPECT_THAT(refusal([&] { world_.engine.destroy_pool({0, 99}); }), HasSubstr("no such pool"));
}

TEST_F(RefusedCalls, an_option_string_with_an_error_says_which_option) {
  const auto error = world_.engine.set_options("max_split_size_mb:5");
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
  AllocatorWorld world({.device_total = 1600_GiB, .options = "expandable_segments:True"});
  const Address address = world.get(1500_GiB);
  world.free(address);
  world.set_options("expandable_segments:False");
  world.engine.empty_cache();
  world.free(world.get(1600_GiB));
}

}  // namespace
}  // namespace vramlab::tests
