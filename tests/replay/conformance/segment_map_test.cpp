#include "replay/conformance/case_differences.h"

#include <gtest/gtest.h>

namespace vramlab::replay {
namespace {

using namespace allocator;
using namespace allocator::literals;

SnapshotSegment segment_at(std::uint64_t address, std::size_t block_count) {
  SnapshotSegment segment;
  segment.address = {address};
  segment.total_size = Bytes{512} * block_count;
  for (std::size_t i = 0; i < block_count; ++i)
    segment.blocks.push_back({segment.address + Bytes{512} * i, 512_B, 0_B, BlockState::inactive});
  return segment;
}

std::size_t line_count(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(SegmentMap, an_empty_snapshot_has_no_segments) {
  EXPECT_EQ(segment_map({}, {0}), "  no segments\n");
}

TEST(SegmentMap, the_segment_of_the_address_shows_its_blocks_and_its_neighbours_do_not) {
  const Snapshot snapshot{
      {segment_at(0x1000, 2), segment_at(0x4000, 2), segment_at(0x8000, 2), segment_at(0xc000, 2)}};
  const std::string text = segment_map(snapshot, {0x4200});
  EXPECT_EQ(line_count(text), 5U);
  EXPECT_NE(text.find("    > 0x4200, 512"), std::string::npos);
  EXPECT_EQ(text.find("0xc000"), std::string::npos);
}

TEST(SegmentMap, many_blocks_are_cut_to_those_around_the_address) {
  const std::string text = segment_map({{segment_at(0x10000, 100)}}, {0x10000 + 50 * 512});
  EXPECT_NE(text.find("(46 blocks before)"), std::string::npos);
  EXPECT_NE(text.find("(45 blocks after)"), std::string::npos);
  EXPECT_EQ(line_count(text), 1U + 9U + 2U);
}

TEST(SegmentMap, an_address_outside_of_all_segments_marks_no_block) {
  const std::string text = segment_map({{segment_at(0x1000, 2)}}, {0x10});
  EXPECT_EQ(text.find('>'), std::string::npos);
}

}  // namespace
}  // namespace vramlab::replay
