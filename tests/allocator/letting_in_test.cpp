// A device that lets other requests and frees in while it is asked for memory, as one that is
// called without the lock around the allocator does: the allocator is whole, and limits hold for
// all of them together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "allocator/checks/consistency.h"
#include "tests/support/devices/allocator_setup.h"

namespace vramlab::tests {
namespace {

using namespace allocator;
using namespace allocator::literals;
using testing::ElementsAre;
using testing::IsEmpty;

/// A device without streams that makes another call first, once.
class LettingInDevice : public streams::MemoryDevice {
 public:
  explicit LettingInDevice(Bytes total) : MemoryDevice({.total = total}) {}

  std::optional<Address> allocate(Bytes size, StreamId stream) override {
    if (others_) std::exchange(others_, nullptr)();
    return MemoryDevice::allocate(size, stream);
  }
  bool map(const UnitRange& range) override {
    if (others_) std::exchange(others_, nullptr)();
    return MemoryDevice::map(range);
  }
  void let_in(std::function<void()> others) { others_ = std::move(others); }

  void forget_event(EventId) override {}
  std::optional<StreamCapture> capture_of(StreamId) override { return std::nullopt; }
  std::vector<GraphNode> dependencies_of(GraphNode) override { return {}; }

 private:
  void wait_for_device() override {}
  void wait_until_complete(EventId) override {}
  void wait_until_idle(StreamId) override {}
  EventId put_event(StreamId) override { return {}; }
  bool has_passed(EventId) override { return true; }

  std::function<void()> others_;
};

class LettingIn : public testing::Test {
 protected:
  ~LettingIn() override { EXPECT_THAT(find_broken_rules(engine_), IsEmpty()); }
  explicit LettingIn(const Settings& settings = {}) : settings_(settings) {}
  MallocResult get(Bytes request) { return engine_.malloc(request, {0}); }

  const Settings settings_;
  LettingInDevice device_{100_MiB};
  RecordingAllocator engine_{device_, default_reference_version(), settings_};
};

TEST_F(LettingIn, a_request_inside_of_another_gets_a_segment_of_its_own) {
  device_.let_in([&] { EXPECT_TRUE(get(5_MiB)); });
  EXPECT_TRUE(get(6_MiB));
  EXPECT_THAT(segment_lines(engine_.take_snapshot()),
              ElementsAre("5MiB live, 15MiB free", "6MiB live, 14MiB free"));
}

TEST_F(LettingIn, a_free_inside_of_a_request_merges_while_the_segment_is_got) {
  const Address early = get(12_MiB).address;
  device_.let_in([&] { engine_.free(early); });
  EXPECT_TRUE(get(30_MiB));
  EXPECT_THAT(segment_lines(engine_.take_snapshot()), ElementsAre("12MiB free", "30MiB live"));
}

TEST_F(LettingIn, a_memory_fraction_holds_for_both_requests_together) {
  engine_.set_memory_fraction(0.5);
  device_.let_in([&] { EXPECT_EQ(get(30_MiB).outcome, MallocOutcome::out_of_memory); });
  EXPECT_TRUE(get(40_MiB));
}

TEST_F(LettingIn, what_a_request_asked_for_is_forgotten_when_the_device_fails) {
  engine_.set_memory_fraction(0.5);
  device_.let_in([] { throw DeviceError("out of order"); });
  EXPECT_THROW(get(40_MiB), DeviceError);
  EXPECT_TRUE(get(40_MiB));
}

class LettingInWhileMapping : public LettingIn {
 protected:
  LettingInWhileMapping() : LettingIn(with_expandable_segments()) {}
  static Settings with_expandable_segments() {
    Settings settings;
    settings.expandable_segments = true;
    return settings;
  }
};

TEST_F(LettingInWhileMapping, what_is_being_mapped_is_out_of_reach_for_another_request) {
  device_.let_in([&] { EXPECT_TRUE(get(5_MiB)); });
  EXPECT_TRUE(get(6_MiB));
  EXPECT_THAT(segment_lines(engine_.take_snapshot()),
              ElementsAre("6MiB live, 14MiB free", "5MiB live, 15MiB free"));
}

TEST_F(LettingInWhileMapping, a_block_that_was_to_be_grown_may_be_taken) {
  const Address first = get(4_MiB).address;
  device_.let_in([&] { EXPECT_EQ(get(16_MiB).address, first + 4_MiB); });
  // It begins with the 16 MiB behind the first block, and needs another unit when they are gone.
  EXPECT_EQ(get(30_MiB).address, first + 20_MiB);
  EXPECT_THAT(segment_lines(engine_.take_snapshot()),
              ElementsAre("4MiB live, 16MiB live, 30MiB live, 10MiB free"));
}

TEST_F(LettingInWhileMapping, a_block_behind_may_be_taken_that_was_to_join) {
  const Address first = get(20_MiB).address;
  const Address second = get(20_MiB).address;
  const Address third = get(20_MiB).address;
  engine_.free(second);
  engine_.empty_cache();
  engine_.free(third);
  device_.let_in([&] { EXPECT_EQ(get(20_MiB).address, third); });
  EXPECT_TRUE(get(40_MiB));
  EXPECT_THAT(segment_lines(engine_.take_snapshot()),
              ElementsAre("20MiB live, 20MiB free, 20MiB live, 40MiB live"));
  EXPECT_TRUE(engine_.is_live(first));
}

TEST_F(LettingInWhileMapping, units_around_may_be_given_back_meanwhile) {
  const Address first = get(20_MiB).address;
  device_.let_in([&] {
    engine_.free(first);
    engine_.empty_cache();
  });
  EXPECT_EQ(get(60_MiB).address, first + 20_MiB);
  EXPECT_EQ(get(20_MiB).address, first);
  EXPECT_THAT(segment_lines(engine_.take_snapshot()), ElementsAre("20MiB live, 60MiB live"));
}

TEST_F(LettingInWhileMapping, nothing_is_left_where_everything_else_went_and_nothing_was_mapped) {
  const Address first = get(20_MiB).address;
  device_.let_in([&] {
    engine_.free(first);
    engine_.empty_cache();
    throw DeviceError("out of order");
  });
  EXPECT_THROW(get(40_MiB), DeviceError);
  EXPECT_THAT(engine_.core().segments.by_address(), IsEmpty());
}

TEST_F(LettingInWhileMapping, a_memory_fraction_holds_for_both_requests_together) {
  engine_.set_memory_fraction(0.5);
  device_.let_in([&] { EXPECT_EQ(get(30_MiB).outcome, MallocOutcome::out_of_memory); });
  EXPECT_TRUE(get(40_MiB));
}

TEST_F(LettingInWhileMapping, a_snapshot_shows_what_has_memory_behind_it) {
  EXPECT_TRUE(get(20_MiB));
  device_.let_in([&] {
    EXPECT_THAT(find_broken_rules(engine_), IsEmpty());
    EXPECT_THAT(segment_lines(engine_.take_snapshot()), ElementsAre("20MiB live"));
  });
  EXPECT_TRUE(get(20_MiB));
}

}  // namespace
}  // namespace vramlab::tests
