// Whether two recordings made the same events, wherever the driver put them.
#include "replay/compare/event_order.h"

#include <gtest/gtest.h>

namespace vramlab::replay {
namespace {

using allocator::Address;
using allocator::StreamId;

AllocatorEvent event(Action action, std::uint64_t address, std::uint64_t size,
                     std::uint64_t stream = 0) {
  AllocatorEvent made;
  made.action = action;
  made.address = Address{address};
  made.size = Bytes{size};
  made.stream = StreamId{stream};
  return made;
}

/// A segment, two blocks on two streams, one of which is freed.
std::vector<AllocatorEvent> some_work(std::uint64_t base, std::uint64_t stream) {
  return {event(Action::segment_alloc, base, 2097152),   event(Action::alloc, base, 512),
          event(Action::alloc, base + 512, 512, stream), event(Action::free_requested, base, 512),
          event(Action::free_completed, base, 512),      event(Action::alloc, base, 512)};
}

/// A recording of one device.
struct OneDevice {
  DeviceHistory history;
  traces::SnapshotTables tables;
};

std::optional<EventOrder> compare_events(const OneDevice& base, const OneDevice& now) {
  return compare_events(ComparedDevices{{&base.history}, base.tables},
                        ComparedDevices{{&now.history}, now.tables});
}

OneDevice one_device(const std::vector<AllocatorEvent>& events, std::int64_t device = 0) {
  OneDevice made;
  made.history.device = device;
  for (const AllocatorEvent& entry : events) made.history.events.push_back(entry);
  return made;
}

TEST(EventOrder, is_the_same_at_other_addresses_and_on_streams_of_other_numbers) {
  const auto order =
      compare_events(one_device(some_work(1 << 30, 7)), one_device(some_work(1 << 20, 9)));
  ASSERT_TRUE(order);
  EXPECT_EQ(order->base_events, 6U);
  EXPECT_FALSE(order->first_difference);
}

TEST(EventOrder, differs_where_a_size_does) {
  auto changed = some_work(1 << 30, 7);
  changed[2].size = Bytes{1024};
  const auto order = compare_events(one_device(some_work(1 << 30, 7)), one_device(changed, 3));
  ASSERT_TRUE(order && order->first_difference);
  EXPECT_EQ(order->first_difference->event, 2U);
  EXPECT_EQ(order->first_difference->base, "alloc of 512 bytes on another stream than the default");
  EXPECT_EQ(order->first_difference->now, "alloc of 1.00 KiB on another stream than the default");
}

TEST(EventOrder, differs_where_another_block_is_freed) {
  auto changed = some_work(1 << 30, 0);
  changed[3].address = changed[2].address;
  const auto order = compare_events(one_device(some_work(1 << 30, 0)), one_device(changed));
  ASSERT_TRUE(order && order->first_difference);
  EXPECT_EQ(order->first_difference->event, 3U);
}

TEST(EventOrder, differs_where_another_stream_is_used) {
  EXPECT_EQ(compare_events(one_device(some_work(1 << 30, 0)), one_device(some_work(1 << 30, 7)))
                ->first_difference->event,
            2U);
}

TEST(EventOrder, differs_where_one_recording_is_over) {
  auto shorter = some_work(1 << 30, 7);
  shorter.pop_back();
  const auto order = compare_events(one_device(some_work(1 << 30, 7)), one_device(shorter));
  ASSERT_TRUE(order && order->first_difference);
  EXPECT_EQ(order->first_difference->event, 5U);
  EXPECT_EQ(order->first_difference->now, "the end of the recording");
  EXPECT_EQ(order->now_events, 5U);
}

TEST(EventOrder, is_not_told_of_a_file_without_events) {
  EXPECT_FALSE(compare_events(one_device(some_work(1 << 30, 7)), one_device({})));
}

}  // namespace
}  // namespace vramlab::replay
