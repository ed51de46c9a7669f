// A device that lets other requests and frees in while it is asked for memory, as one that is
// called without the lock around the allocator does: the allocator is whole, and limits hold for
// all of them together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "allocator/consistency.h"
#include "tests/support/allocator_world.h"

namespace vramlab::tests {
namespace {

using namespace allocator;
using namespace allocator::literals;
using testing::ElementsAre;
using testing::IsEmpty;

/// Does something else first, once. It has no streams.
class LettingInDevice : public streams::MemoryDevice {
 public:
  explicit LettingInDevice(Bytes total) : MemoryDevice({.total = total}) {}

  std::optional<Address> allocate(Bytes size, StreamId stream) override {
    if (others_) std::exchange(others_, nullptr)();
    return MemoryDevice::allocate(size, stream);
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
  MallocResult get(Bytes request) { return engine_.malloc(request, {0}); }

  LettingInDevice device_{100_MiB};
  RecordingAllocator engine_{device_, default_reference_version()};
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

}  // namespace
}  // namespace vramlab::tests
