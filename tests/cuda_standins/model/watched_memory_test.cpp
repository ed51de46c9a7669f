#include "tools/cuda_standins/model/watched_memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace vramlab::dry_run {
namespace {

using Parts = std::vector<std::uint64_t>;

TEST(WatchedMemory, tells_each_part_that_was_written_once) {
  WatchedMemory memory;
  memory.watch(512, 64);
  memory.watch(1024, 64);
  memory.note_write(512 + 63, 1);
  memory.note_write(512, 8);
  EXPECT_EQ(memory.take_written(), Parts{512});
  EXPECT_EQ(memory.take_written(), Parts{});
  EXPECT_EQ(memory.written_count(), 1U);
}

TEST(WatchedMemory, says_nothing_of_writes_beside_its_parts) {
  WatchedMemory memory;
  memory.watch(512, 64);
  memory.note_write(0, 512);
  memory.note_write(512 + 64, 512);
  memory.note_write(520, 0);
  EXPECT_EQ(memory.take_written(), Parts{});
}

TEST(WatchedMemory, a_write_to_anywhere_is_one_to_each_part) {
  WatchedMemory memory;
  memory.watch(512, 64);
  memory.watch(1024, 64);
  memory.unwatch(512);
  memory.note_write_anywhere();
  EXPECT_EQ(memory.take_written(), Parts{1024});
}

TEST(WatchedMemory, new_part_takes_the_place_of_older_ones) {
  WatchedMemory memory;
  memory.watch(512, 64);
  memory.watch(544, 64);
  memory.note_write_anywhere();
  EXPECT_EQ(memory.take_written(), Parts{544});
}

}  // namespace
}  // namespace vramlab::dry_run
