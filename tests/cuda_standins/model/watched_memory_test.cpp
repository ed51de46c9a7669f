#include "tools/cuda_standins/model/watched_memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace vramlab::dry_run {
namespace {

using Parts = std::vector<std::uint64_t>;

Parts written(const WatchedMemory& memory) {
  Parts beginnings;
  for (std::uint64_t number = 0; number < memory.written().count(); ++number)
    beginnings.push_back(memory.written().beginning(number));
  return beginnings;
}

TEST(WatchedMemory, tells_each_part_that_was_written_once) {
  WatchedMemory memory;
  memory.watch(512, 64);
  memory.watch(1024, 64);
  memory.note_write(512 + 63, 1);
  memory.note_write(512, 8);
  EXPECT_EQ(written(memory), Parts{512});
  memory.watch(512, 64);
  memory.note_write(512, 8);
  EXPECT_EQ(written(memory), (Parts{512, 512}));
}

TEST(WatchedMemory, says_nothing_of_writes_beside_its_parts) {
  WatchedMemory memory;
  memory.watch(512, 64);
  memory.note_write(0, 512);
  memory.note_write(512 + 64, 512);
  memory.note_write(520, 0);
  EXPECT_EQ(written(memory), Parts{});
}

TEST(WatchedMemory, a_write_to_anywhere_is_one_to_each_part) {
  WatchedMemory memory;
  memory.watch(512, 64);
  memory.watch(1024, 64);
  memory.unwatch(512);
  memory.note_write_anywhere();
  EXPECT_EQ(written(memory), Parts{1024});
}

TEST(WatchedMemory, new_part_takes_the_place_of_older_ones) {
  WatchedMemory memory;
  memory.watch(512, 64);
  memory.watch(544, 64);
  memory.note_write_anywhere();
  EXPECT_EQ(written(memory), Parts{544});
}

TEST(WatchedMemory, keeps_the_last_of_many_parts_that_were_written) {
  WatchedMemory memory;
  for (std::uint64_t part = 0; part <= WrittenParts::kept; ++part) {
    memory.watch(512 * part, 64);
    memory.note_write(512 * part, 8);
  }
  EXPECT_EQ(memory.written().count(), WrittenParts::kept + 1);
  EXPECT_EQ(memory.written().beginning(1), 512U);
  EXPECT_EQ(memory.written().beginning(WrittenParts::kept), 512 * WrittenParts::kept);
}

}  // namespace
}  // namespace vramlab::dry_run
