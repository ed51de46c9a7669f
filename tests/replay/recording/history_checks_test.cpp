#include <gtest/gtest.h>

#include "replay/recording/history_checks.h"

namespace vramlab::replay {
namespace {

using allocator::Action;
using allocator::Bytes;

class DeviceRoomTest : public testing::Test {
 protected:
  void add(Action action, std::uint64_t size, std::uint64_t address = 0) {
    history_.events.push_back({action, {address}, {size}, {}, {}, 0});
  }
  void end_with(std::uint64_t reserved) {
    allocator::SnapshotSegment segment;
    segment.total_size = {reserved};
    history_.final_segments = {segment};
  }

  DeviceHistory history_;
};

TEST_F(DeviceRoomTest, is_what_was_free_and_reserved_at_an_out_of_memory) {
  add(Action::segment_alloc, 600);
  add(Action::oom, 500, 400);
  add(Action::segment_free, 600);
  add(Action::segment_map, 200);
  add(Action::oom, 900, 800);
  end_with(200);
  EXPECT_EQ(room_of(history_).total, Bytes{1000});
}

TEST_F(DeviceRoomTest, counts_what_was_reserved_before_the_first_event) {
  add(Action::oom, 500, 400);
  add(Action::segment_free, 100);
  end_with(300);
  EXPECT_EQ(room_of(history_).reserved_at_start, Bytes{400});
  EXPECT_EQ(room_of(history_).total, Bytes{800});
}

TEST_F(DeviceRoomTest, is_unknown_if_others_took_memory_in_between) {
  add(Action::segment_alloc, 600);
  add(Action::oom, 500, 400);
  add(Action::oom, 500, 300);
  end_with(600);
  EXPECT_EQ(room_of(history_).total, std::nullopt);
  EXPECT_EQ(room_of(history_).at_least(), Bytes{600});
}

TEST_F(DeviceRoomTest, is_unknown_if_there_was_room_for_what_was_refused) {
  add(Action::segment_alloc, 600);
  add(Action::oom, 400, 400 + (20 << 20));
  end_with(600);
  EXPECT_EQ(room_of(history_).total, std::nullopt);
}

TEST_F(DeviceRoomTest, is_unknown_if_entries_do_not_say_what_was_free) {
  add(Action::oom, 500);
  history_.traits.lacks_device_free = true;
  EXPECT_EQ(room_of(history_).total, std::nullopt);
}

}  // namespace

}  // namespace vramlab::replay
