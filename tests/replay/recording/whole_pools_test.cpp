#include "replay/recording/whole_pools.h"

#include <gtest/gtest.h>

#include "allocator/options/settings.h"

namespace vramlab::replay {
namespace {

using allocator::Action;

constexpr PoolId pool{0, 1};

class WholePools : public testing::Test {
 protected:
  WholePools() { history_.traits.names_pools = true; }

  void add(Action action, std::uint64_t at, Bytes size) {
    history_.events.push_back({action, {mebibytes(at).count}, size, {}, pool, 0});
  }
  void free(std::uint64_t at, Bytes size) {
    add(Action::free_requested, at, size);
    add(Action::free_completed, at, size);
  }
  std::set<PoolId> found() const { return find_whole_pools(history_, allocator::Settings{}); }

  DeviceHistory history_;
};

TEST_F(WholePools, get_memory_though_the_rest_of_a_block_would_have_served) {
  add(Action::segment_alloc, 100, mebibytes(20));
  add(Action::alloc, 100, mebibytes(3));
  EXPECT_TRUE(found().empty()) << "nothing tells yet";
  add(Action::segment_alloc, 200, mebibytes(20));
  add(Action::alloc, 200, mebibytes(3));
  EXPECT_EQ(found(), std::set{pool});
}

TEST_F(WholePools, end_with_blocks_larger_than_their_requests) {
  add(Action::segment_alloc, 100, mebibytes(20));
  add(Action::alloc, 100, mebibytes(3));
  allocator::SnapshotSegment& segment = history_.final_segments.emplace_back();
  segment.address = {100 * mebibyte};
  segment.total_size = mebibytes(20);
  segment.pool = pool;
  segment.blocks.push_back(
      {segment.address, mebibytes(20), mebibytes(3), allocator::BlockState::active_allocated});
  EXPECT_EQ(found(), std::set{pool});
  segment.blocks.front().size = mebibytes(3);
  EXPECT_TRUE(found().empty());
}

TEST_F(WholePools, are_none_in_which_a_block_begins_inside_a_segment) {
  add(Action::segment_alloc, 100, mebibytes(20));
  add(Action::alloc, 100, mebibytes(3));
  add(Action::alloc, 103, mebibytes(3));
  add(Action::segment_alloc, 200, mebibytes(20));
  add(Action::alloc, 200, mebibytes(3));
  EXPECT_TRUE(found().empty());
}

TEST_F(WholePools, are_none_that_got_memory_as_a_freed_block_was_too_small) {
  add(Action::segment_alloc, 100, mebibytes(20));
  add(Action::alloc, 100, mebibytes(3));
  free(100, mebibytes(3));
  add(Action::segment_alloc, 200, mebibytes(30));
  add(Action::alloc, 200, mebibytes(30));
  EXPECT_TRUE(found().empty());
}

TEST_F(WholePools, grow_an_expandable_segment_behind_a_block_that_is_kept_whole) {
  add(Action::segment_map, 100, mebibytes(20));
  add(Action::alloc, 100, mebibytes(3));
  add(Action::segment_map, 120, mebibytes(20));
  add(Action::alloc, 120, mebibytes(3));
  EXPECT_EQ(found(), std::set{pool});
}

TEST_F(WholePools, are_not_told_where_no_pool_is_named) {
  history_.traits.names_pools = false;
  add(Action::segment_alloc, 100, mebibytes(20));
  add(Action::alloc, 100, mebibytes(3));
  add(Action::segment_alloc, 200, mebibytes(20));
  add(Action::alloc, 200, mebibytes(3));
  EXPECT_TRUE(found().empty());
}

}  // namespace
}  // namespace vramlab::replay
