// Segments and blocks at the start of a recording, from histories small enough to know them.
#include "replay/recording/starting_state.h"

#include <gtest/gtest.h>

namespace vramlab::replay {
namespace {

using namespace allocator;
using namespace allocator::literals;

constexpr Address base{0x7f0000000000};

class Starting : public ::testing::Test {
 protected:
  void event(Action action, Address at, Bytes size, std::uint64_t stream = 0) {
    history.events.push_back({action, at, size, {stream}, {}, history.events.size()});
  }
  void free_at_once(Address at, Bytes size) {
    event(Action::free_requested, at, size);
    event(Action::free_completed, at, size);
  }
  /// A classic segment of the large pool that survives, with these blocks.
  void survives(Bytes size, std::vector<SnapshotBlock> blocks) {
    SnapshotSegment segment;
    segment.address = base;
    segment.total_size = size;
    segment.kind = PoolKind::large;
    segment.blocks = std::move(blocks);
    history.final_segments.push_back(std::move(segment));
  }
  StartingState found() {
    history.traits.requests_frees = true;
    return find_starting_state(history, settings, unknown_reservation);
  }
  static std::vector<GivenBlock> blocks_of(const StartingState& state) {
    return state.segments.empty() ? std::vector<GivenBlock>{} : state.segments.front().blocks;
  }

  DeviceHistory history;
  Settings settings;
};

TEST_F(Starting, is_empty_where_the_first_event_gets_the_first_segment) {
  event(Action::segment_alloc, base, 20_MiB);
  event(Action::alloc, base, 5_MiB);
  survives(20_MiB, {{base, 5_MiB, 5_MiB, BlockState::active_allocated},
                    {base + 5_MiB, 15_MiB, 0_B, BlockState::inactive}});
  EXPECT_TRUE(found().segments.empty());
}

TEST_F(Starting, holds_a_block_that_is_freed_later_and_the_gap_behind_it) {
  free_at_once(base, 5_MiB);
  survives(20_MiB, {{base, 20_MiB, 5_MiB, BlockState::inactive}});
  const std::vector<GivenBlock> expected{{5_MiB, 5_MiB, GivenUse::live},
                                         {15_MiB, 0_B, GivenUse::free}};
  EXPECT_EQ(blocks_of(found()), expected);
}

TEST_F(Starting, holds_a_block_as_waiting_whose_free_was_asked_for_before) {
  event(Action::free_completed, base, 5_MiB);
  survives(20_MiB, {{base, 20_MiB, 5_MiB, BlockState::inactive}});
  EXPECT_EQ(blocks_of(found()).front(), (GivenBlock{5_MiB, 5_MiB, GivenUse::waiting}));
}

TEST_F(Starting, gives_a_block_the_rest_of_its_segment_that_was_too_small_to_split_off) {
  free_at_once(base, 19_MiB + 100_KiB);
  survives(20_MiB, {{base, 20_MiB, 0_B, BlockState::inactive}});
  const std::vector<GivenBlock> expected{{20_MiB, 19_MiB + 100_KiB, GivenUse::live}};
  EXPECT_EQ(blocks_of(found()), expected);
}

TEST_F(Starting, sees_from_what_lands_behind_a_block_where_it_ends) {
  event(Action::alloc, base + 5_MiB + 512_KiB, 2_MiB);
  free_at_once(base, 5_MiB);
  free_at_once(base + 5_MiB + 512_KiB, 2_MiB);
  survives(20_MiB, {{base, 20_MiB, 0_B, BlockState::inactive}});
  const StartingState state = found();
  EXPECT_EQ(blocks_of(state).front(), (GivenBlock{5_MiB + 512_KiB, 5_MiB, GivenUse::live}));
  EXPECT_EQ(state.assumed_extent_count, 0U);
}

TEST_F(Starting, counts_extents_that_nothing_shows) {
  free_at_once(base, 5_MiB);
  survives(20_MiB, {{base, 20_MiB, 0_B, BlockState::inactive}});
  EXPECT_EQ(found().assumed_extent_count, 1U);
}

TEST_F(Starting, gives_a_block_of_the_split_limit_or_more_all_its_room) {
  settings.max_split_size = 21_MiB;
  free_at_once(base, 30_MiB);
  survives(40_MiB, {{base, 40_MiB, 0_B, BlockState::inactive}});
  EXPECT_EQ(blocks_of(found()).front().size, 40_MiB);
}

TEST_F(Starting, holds_segments_that_are_released_later) {
  event(Action::segment_free, base, 2_MiB);
  event(Action::segment_free, base + 2_MiB, 20_MiB);
  const StartingState state = found();
  ASSERT_EQ(state.segments.size(), 2U);
  EXPECT_EQ(state.segments[0].kind, PoolKind::small);
  EXPECT_EQ(state.segments[1].kind, PoolKind::large);
  EXPECT_FALSE(state.known_pools[0]);
}

TEST_F(Starting,
       puts_the_addresses_below_a_reservation_s_lowest_piece_into_it_when_they_are_mapped) {
  constexpr Address lowest{0x300000000000};
  event(Action::segment_map, lowest, 20_MiB);
  event(Action::alloc, lowest, 15_MiB);
  SnapshotSegment piece;
  piece.address = lowest;
  piece.total_size = 60_MiB;
  piece.kind = PoolKind::large;
  piece.is_expandable = true;
  piece.blocks = {{lowest, 15_MiB, 15_MiB, BlockState::active_allocated},
                  {lowest + 15_MiB, 45_MiB, 0_B, BlockState::inactive}};
  history.final_segments.push_back(piece);
  const StartingState state = found();
  ASSERT_EQ(state.segments.size(), 1U);
  EXPECT_EQ(state.segments.front().base, lowest);
  EXPECT_EQ(state.segments.front().unit, 20_MiB);
  const std::vector<GivenBlock>& blocks = state.segments.front().blocks;
  ASSERT_EQ(blocks.size(), 3U);
  EXPECT_EQ(blocks[0], (GivenBlock{20_MiB, 0_B, GivenUse::unmapped}));
  EXPECT_EQ(blocks[1], (GivenBlock{40_MiB, 0_B, GivenUse::free}));
  EXPECT_EQ(blocks[2].use, GivenUse::unmapped);
}

TEST_F(Starting, names_the_first_event_from_the_end_that_cannot_have_been) {
  event(Action::alloc, base, 5_MiB);
  EXPECT_NE(found().contradiction.find("event 0, alloc of 5.00 MiB"), std::string::npos);
}

}  // namespace
}  // namespace vramlab::replay
