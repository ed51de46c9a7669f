// Single device calls that fail at the worst moment: the call ends with the device's error, and the
// allocator is whole and can go on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "allocator/checks/consistency.h"
#include "tests/support/devices/allocator_setup.h"
#include "tests/support/devices/fault_injecting_device.h"

namespace vramlab::tests {
namespace {

using namespace allocator;
using namespace allocator::literals;
using testing::ElementsAre;
using testing::IsEmpty;

class FailingDevice : public testing::Test {
 protected:
  explicit FailingDevice(std::string_view version = "2.6", std::string_view options = {})
      : version_(*find_reference_version(version)),
        engine_(failing_, version_, parse_settings({}, options, version_).settings) {}
  ~FailingDevice() override { EXPECT_THAT(find_broken_rules(engine_), IsEmpty()); }

  Address get(Bytes request) { return engine_.malloc(request, {0}).address; }
  void use_on(std::uint64_t stream, Address address) {
    device_.submit_work({stream});
    engine_.record_stream(address, {stream});
  }
  /// The n-th device call from now on fails.
  void fail_call(std::uint64_t n) { failing_.set_fault(Fault{n, FaultStyle::always_an_error}); }
  std::vector<std::string> segments() { return segment_lines(engine_.take_snapshot()); }

  streams::SimulatedDevice device_{100_MiB};
  FaultInjectingDevice failing_{device_};
  const ReferenceVersion& version_;
  RecordingAllocator engine_;
};

TEST_F(FailingDevice, a_request_whose_allocation_fails_changes_nothing) {
  fail_call(1);
  EXPECT_THROW(get(5_MiB), DeviceError);
  EXPECT_THAT(segments(), IsEmpty());
  EXPECT_EQ(get(5_MiB), first_segment);
}

TEST_F(FailingDevice, a_segment_whose_release_fails_is_still_there) {
  engine_.free(get(5_MiB));
  fail_call(1);
  EXPECT_THROW(engine_.empty_cache(), DeviceError);
  EXPECT_THAT(segments(), ElementsAre("20MiB free"));
  engine_.empty_cache();
  EXPECT_THAT(segments(), IsEmpty());
}

TEST_F(FailingDevice, a_free_whose_event_fails_is_tried_again_by_the_next_request) {
  const Address address = get(5_MiB);
  use_on(3, address);
  use_on(4, address);
  fail_call(2);
  EXPECT_THROW(engine_.free(address), DeviceError);
  EXPECT_THAT(segments(), ElementsAre("5MiB waiting, 15MiB free"));
  get(512_B);
  EXPECT_EQ(device_.event_count(), 2U);
  device_.complete_work({3});
  device_.complete_work({4});
  get(512_B);
  EXPECT_EQ(segments().front(), "20MiB free");
}

TEST_F(FailingDevice, an_event_that_cannot_be_waited_for_stays_awaited) {
  const Address address = get(5_MiB);
  use_on(3, address);
  engine_.free(address);
  fail_call(1);
  EXPECT_THROW(engine_.empty_cache(), DeviceError);
  EXPECT_THAT(segments(), ElementsAre("5MiB waiting, 15MiB free"));
  engine_.empty_cache();
  EXPECT_THAT(segments(), IsEmpty());
}

class FailingExpandableDevice : public FailingDevice {
 protected:
  FailingExpandableDevice() : FailingDevice("2.6", "expandable_segments:True") {}
};

TEST_F(FailingExpandableDevice, a_map_that_fails_leaves_the_reservation_for_the_next_request) {
  fail_call(2);
  EXPECT_THROW(get(5_MiB), DeviceError);
  EXPECT_THAT(segments(), IsEmpty());
  EXPECT_EQ(get(5_MiB), first_reservation);
  EXPECT_EQ(engine_.core().segments.by_address().size(), 1U);
}

TEST_F(FailingExpandableDevice, an_unmap_that_fails_leaves_the_block_mapped_and_free) {
  engine_.free(get(5_MiB));
  fail_call(2);
  EXPECT_THROW(engine_.empty_cache(), DeviceError);
  EXPECT_THAT(segments(), ElementsAre("20MiB free"));
  engine_.empty_cache();
  EXPECT_EQ(device_.used_memory(), 0_B);
}

TEST_F(FailingExpandableDevice, a_reservation_that_cannot_be_given_back_can_be_used_again) {
  engine_.free(get(5_MiB));
  fail_call(3);
  EXPECT_THROW(engine_.empty_cache(), DeviceError);
  EXPECT_EQ(device_.used_memory(), 0_B);
  EXPECT_EQ(get(5_MiB), first_reservation);
}

class FailingLendingPool : public FailingDevice {
 protected:
  FailingLendingPool() : FailingDevice("2.12", "graph_capture_record_stream_reuse:True") {}
};

TEST_F(FailingLendingPool, a_block_is_not_lost_when_the_pool_s_deferred_frees_fail) {
  const auto every_stream = [](StreamId) { return true; };
  engine_.create_pool({0, 1}, {.use_on_oom = true});
  engine_.begin_scope({0, 1}, every_stream);
  const Address lent = get(40_MiB);
  const Address deferred = get(30_MiB);
  engine_.end_scope({0, 1});
  engine_.free(lent);
  use_on(3, deferred);
  engine_.begin_scope({0, 2}, [](StreamId stream) { return stream == StreamId{9}; });
  engine_.free(deferred);
  fail_call(3);
  EXPECT_THROW(get(40_MiB), DeviceError) << "asked for captures, memory, and an event";
  EXPECT_THAT(find_broken_rules(engine_), IsEmpty());
  EXPECT_EQ(get(40_MiB), lent);
}

}  // namespace
}  // namespace vramlab::tests
