// Cutting and joining blocks, the table of segments, and the row of unmapped blocks.
#include "allocator/blocks/segment.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "allocator/blocks/pool.h"
#include "tests/support/kit/random_numbers.h"

namespace vramlab::allocator {
namespace {

using namespace literals;

constexpr Address base{0x7f0000000000};

/// One segment of 20 MiB that is one block.
class BlockChainTest : public testing::Test {
 protected:
  BlockChainTest() {
    whole_ = blocks_.create();
    segment_ = segments_.create({base, 20_MiB, 0_B, LaneIndex{3}, whole_, false});
    blocks_[whole_] = Block(base, 20_MiB, segment_, LaneIndex{3});
    blocks_[whole_].requested = 7_MiB;
  }

  /// Sizes in order; checks links and addresses on the way.
  std::vector<Bytes> sizes() const {
    std::vector<Bytes> sizes;
    Address expected = base;
    BlockIndex before = BlockIndex::none;
    for (BlockIndex i = segments_[segment_].first; i != BlockIndex::none; i = blocks_[i].next) {
      EXPECT_EQ(blocks_[i].address, expected);
      EXPECT_EQ(blocks_[i].previous(), before);
      EXPECT_EQ(blocks_[i].is_first(), before == BlockIndex::none);
      if (blocks_[i].is_first()) {
        EXPECT_EQ(blocks_[i].segment(), segment_);
      }
      EXPECT_EQ(blocks_[i].lane(), LaneIndex{3});
      sizes.push_back(blocks_[i].size());
      expected = blocks_[i].end();
      before = i;
    }
    return sizes;
  }

  BlockArena blocks_;
  SegmentTable segments_;
  BlockChain chain_{blocks_, segments_};
  SegmentIndex segment_{};
  BlockIndex whole_{};
};

TEST_F(BlockChainTest, cutting_the_front_keeps_the_identity_of_the_rest) {
  const BlockIndex front = chain_.split_front(whole_, 5_MiB);
  EXPECT_EQ(sizes(), (std::vector{5_MiB, 15_MiB}));
  EXPECT_EQ(segments_[segment_].first, front);
  EXPECT_EQ(blocks_[whole_].requested, 7_MiB);
  EXPECT_EQ(blocks_[front].requested, 0_B);
}

TEST_F(BlockChainTest, cutting_the_back_keeps_the_identity_of_the_front) {
  const BlockIndex back = chain_.split_back(whole_, 5_MiB);
  EXPECT_EQ(sizes(), (std::vector{5_MiB, 15_MiB}));
  EXPECT_EQ(segments_[segment_].first, whole_);
  EXPECT_EQ(blocks_[whole_].requested, 7_MiB);
  EXPECT_EQ(blocks_[back].requested, 0_B);
}

TEST_F(BlockChainTest, absorbing_the_block_before_moves_the_address) {
  const BlockIndex front = chain_.split_front(whole_, 5_MiB);
  chain_.absorb_previous(whole_);
  EXPECT_EQ(sizes(), (std::vector{20_MiB}));
  EXPECT_EQ(blocks_[whole_].address, base);
  EXPECT_TRUE(blocks_[whole_].is_whole_segment());
  EXPECT_EQ(blocks_[front].use(), BlockUse::unused);
}

TEST_F(BlockChainTest, absorbing_the_block_after_keeps_the_address) {
  chain_.split_back(whole_, 5_MiB);
  chain_.absorb_next(whole_);
  EXPECT_EQ(sizes(), (std::vector{20_MiB}));
  EXPECT_TRUE(blocks_[whole_].is_whole_segment());
}

TEST_F(BlockChainTest, stays_whole_under_random_cuts_and_joins) {
  tests::RandomNumbers numbers(11);
  for (int step = 0; step < 3000; ++step) {
    std::vector<BlockIndex> row;
    for (BlockIndex i = segments_[segment_].first; i != BlockIndex::none; i = blocks_[i].next)
      row.push_back(i);
    const BlockIndex block = numbers.pick(row);
    const Bytes size = blocks_[block].size();
    if (row.size() < 50 && size > 512_B && numbers.one_in(2)) {
      const Bytes part = 512_B * numbers.between(1, size.count / 512 - 1);
      if (numbers.one_in(2))
        chain_.split_front(block, part);
      else
        chain_.split_back(block, part);
    } else if (blocks_[block].next != BlockIndex::none) {
      chain_.absorb_next(block);
    } else if (!blocks_[block].is_first()) {
      chain_.absorb_previous(block);
    }
    Bytes sum;
    for (const Bytes each : sizes()) sum += each;
    ASSERT_EQ(sum, 20_MiB);
  }
}

TEST(BlockArena, a_slot_left_is_used_again) {
  BlockArena blocks;
  const BlockIndex first = blocks.create();
  blocks.create();
  blocks.destroy(first);
  EXPECT_EQ(blocks.unused_count(), 1U);
  EXPECT_EQ(blocks.create(), first);
  EXPECT_EQ(blocks.slot_count(), 2U);
}

TEST(SegmentTable, finds_the_segment_that_an_address_lies_in) {
  SegmentTable segments;
  std::map<std::uint64_t, SegmentIndex> by_base;
  for (const std::uint64_t start : {40ULL, 10ULL, 30ULL, 20ULL})
    by_base[start] =
        segments.create({{start << 20}, 10_MiB, 0_B, LaneIndex{}, BlockIndex{}, false});
  for (const auto& [start, index] : by_base) {
    EXPECT_EQ(segments.containing({start << 20}), index);
    EXPECT_EQ(segments.containing({(start + 9) << 20}), index);
  }
}

TEST(SegmentTable, lists_segments_by_address_and_uses_slots_again) {
  SegmentTable segments;
  const auto high = segments.create({{8ULL << 20}, 2_MiB, 0_B, LaneIndex{}, BlockIndex{}, false});
  const auto low = segments.create({{2ULL << 20}, 2_MiB, 0_B, LaneIndex{}, BlockIndex{}, false});
  EXPECT_EQ(segments.by_address().begin()->second, low);
  segments.destroy(low);
  EXPECT_EQ(segments.by_address().size(), 1U);
  EXPECT_EQ(segments.by_address().begin()->second, high);
  EXPECT_EQ(segments.create({{4ULL << 20}, 2_MiB, 0_B, LaneIndex{}, BlockIndex{}, false}), low);
}

TEST(SegmentTable, stops_at_a_segment_above_the_highest_address) {
  SegmentTable segments;
  EXPECT_DEATH(segments.create({highest_address, 2_MiB, 0_B, LaneIndex{}, BlockIndex{}, false}),
               "below the highest address");
}

TEST(UnmappedBlocks, lie_in_order_of_address) {
  UnmappedBlocks unmapped;
  for (const std::uint64_t at : {30ULL, 10ULL, 40ULL, 20ULL})
    unmapped.insert({at}, static_cast<BlockIndex>(at));
  unmapped.remove({30});
  std::vector<std::uint64_t> addresses;
  for (const UnmappedBlocks::Entry& entry : unmapped) {
    addresses.push_back(entry.address.value);
    EXPECT_EQ(entry.block, static_cast<BlockIndex>(entry.address.value));
  }
  EXPECT_EQ(addresses, (std::vector<std::uint64_t>{10, 20, 40}));
  EXPECT_EQ(unmapped.size(), 3U);
}

TEST(UnmappedBlocks, stop_where_one_that_is_not_there_is_removed) {
  UnmappedBlocks unmapped;
  unmapped.insert({10}, BlockIndex{1});
  EXPECT_DEATH(unmapped.remove({11}), "an unmapped block is in its lane");
}

}  // namespace
}  // namespace vramlab::allocator
