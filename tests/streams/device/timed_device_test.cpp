// An allocator on streams in virtual time: frees that other streams hold up are complete when the
// work there has ended, and waits of the allocator make its thread's time go on.
#include "streams/device/timed_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "allocator/checks/consistency.h"
#include "tests/support/devices/allocator_setup.h"

namespace vramlab::tests {
namespace {

using namespace allocator;
using namespace allocator::literals;
using namespace streams;
using testing::ElementsAre;
using testing::IsEmpty;

class OnTimedStreams : public testing::Test {
 protected:
  explicit OnTimedStreams(std::string_view options = {})
      : version_(*find_reference_version("2.6")),
        engine_(device_, version_, parse_settings({}, options, version_).settings) {
    call_at(0);
  }
  ~OnTimedStreams() override { EXPECT_THAT(find_broken_rules(engine_), IsEmpty()); }

  void call_at(std::uint64_t time_ns) { ASSERT_TRUE(timed_.begin_call({0}, Time{time_ns})); }
  /// A kernel on another stream uses the block.
  void use(Address block, std::uint64_t stream, std::uint64_t duration_ns) {
    const StreamAt at{0, {stream}};
    if (!timed_.has_stream(at)) timed_.create_stream(at, {.is_blocking = false});
    timed_.submit(at, {.duration = {duration_ns}});
    engine_.record_stream(block, {stream});
  }
  Address get(Bytes request) { return engine_.malloc(request, {0}).address; }
  std::vector<std::string> segments() { return segment_lines(engine_.take_snapshot()); }

  StreamWatcher nobody_;
  TimedStreams timed_{{}, nobody_};
  TimedDevice device_{MemoryOptions{.total = 100_MiB}, timed_, 0};
  const ReferenceVersion& version_;
  RecordingAllocator engine_;
};

TEST_F(OnTimedStreams, a_free_is_complete_once_the_work_has_ended) {
  const Address block = get(12_MiB);
  use(block, 5, 1000);
  engine_.free(block);
  call_at(999);
  get(512_B);
  EXPECT_EQ(segments().front(), "12MiB waiting");
  call_at(1000);
  get(512_B);
  EXPECT_EQ(segments().front(), "12MiB free");
}

TEST_F(OnTimedStreams, releasing_memory_waits_for_the_device) {
  const Address block = get(12_MiB);
  use(block, 5, 1000);
  engine_.free(block);
  engine_.empty_cache();
  EXPECT_THAT(segments(), IsEmpty());
  EXPECT_EQ(timed_.now().ns, 1000U);
}

TEST_F(OnTimedStreams, a_request_that_needs_the_waiting_memory_waits_for_it) {
  const Address block = get(80_MiB);
  use(block, 5, 700);
  engine_.free(block);
  EXPECT_NE(get(60_MiB), Address{});
  EXPECT_THAT(segments(), ElementsAre("60MiB live"));
  EXPECT_EQ(timed_.now().ns, 700U);
}

TEST_F(OnTimedStreams, waiting_for_what_never_ends_is_an_error) {
  const Address block = get(80_MiB);
  timed_.create_stream({0, {5}}, {.is_blocking = false});
  timed_.submit({0, {5}}, {.kind = WorkKind::await_flag, .flag = {1}, .value = 1});
  engine_.record_stream(block, {5});
  engine_.free(block);
  EXPECT_THROW(get(60_MiB), EndlessWait);
}

TEST_F(OnTimedStreams, memory_whose_release_waits_in_vain_stays) {
  const auto at = device_.allocate(2_MiB, {0});
  ASSERT_TRUE(at.has_value());
  timed_.create_stream({0, {5}}, {.is_blocking = false});
  timed_.submit({0, {5}}, {.kind = WorkKind::await_flag, .flag = {1}, .value = 1});
  const Bytes used = device_.used_memory();
  EXPECT_THROW(device_.release(*at), EndlessWait);
  EXPECT_EQ(device_.used_memory(), used);
}

TEST_F(OnTimedStreams, captures_are_the_allocator_s_captures) {
  const StreamAt stream{0, {5}};
  timed_.create_stream(stream, {.is_blocking = false});
  EXPECT_FALSE(device_.capture_of({5}).has_value());
  timed_.begin_capture(stream, CaptureMode::relaxed);
  timed_.submit(stream, {.duration = {5}});
  timed_.submit(stream, {.duration = {5}});
  const auto capture = device_.capture_of({5});
  ASSERT_TRUE(capture.has_value());
  ASSERT_EQ(capture->terminals.size(), 1U);
  EXPECT_EQ(device_.dependencies_of(capture->terminals.front()).size(), 1U);
}

}  // namespace
}  // namespace vramlab::tests
