#include "replay/recording/pool_inference.h"

#include <gtest/gtest.h>

namespace vramlab::replay {
namespace {

using allocator::Action;
using allocator::PoolId;

constexpr std::uint64_t mebibyte = 1ULL << 20;
constexpr PoolId private_pool{0, 1};

/// Large segments, each with one block that fills it.
class PoolInferenceTest : public testing::Test {
 protected:
  PoolInferenceTest() { history_.traits.requests_frees = true; }

  /// A new segment for a request of its size.
  void get(std::uint64_t at, std::uint64_t size, std::uint32_t stack) {
    add(Action::segment_alloc, at, size, stack);
    use(at, size, stack);
  }
  void use(std::uint64_t at, std::uint64_t size, std::uint32_t stack) {
    add(Action::alloc, at, size, stack);
    add(Action::free_requested, at, size, stack);
    add(Action::free_completed, at, size, stack);
  }
  void survives(std::uint64_t at, std::uint64_t size, PoolId pool) {
    allocator::SnapshotSegment segment;
    segment.address = {at * mebibyte};
    segment.total_size = {size * mebibyte};
    segment.kind = allocator::PoolKind::large;
    segment.pool = pool;
    segment.blocks.push_back({});
    segment.blocks.back().address = segment.address;
    segment.blocks.back().size = segment.total_size;
    segment.blocks.back().state = allocator::BlockState::active_allocated;
    history_.final_segments.push_back(segment);
  }
  void add(Action action, std::uint64_t at, std::uint64_t size, std::uint32_t stack) {
    history_.events.push_back({action, {at * mebibyte}, {size * mebibyte}, {}, {}, 0});
    history_.stacks.push_back({stack});
  }
  /// The pool that the life with this number is found to be in.
  PoolId pool_of(LifeIndex life) {
    const allocator::Settings settings;
    const PlacedHistory placed =
        place_history(history_, {{0, settings}}, allocator::default_reference_version());
    EXPECT_EQ(placed.placements.contradiction, "");
    return PoolInference(history_, placed.placements, settings).solve().at(life);
  }

  /// Finds the pool of the last of three segments. The two others survive, one of them private.
  /// Each time the default pool is asked right before and right after the others.
  PoolId pool_of_third(std::uint32_t stack_of_others) {
    constexpr std::uint32_t stack_of_default = 3;
    get(1000, 20, stack_of_default);
    get(2000, 30, stack_of_others);
    use(1000, 20, stack_of_default);
    get(3000, 40, stack_of_others);
    for (int i = 0; i < 3; ++i) {
      use(1000, 20, stack_of_default);
      use(3000, 40, stack_of_others);
      use(1000, 20, stack_of_default);
      use(2000, 30, stack_of_others);
    }
    add(Action::alloc, 1000, 20, stack_of_default);
    add(Action::alloc, 2000, 30, stack_of_others);
    add(Action::segment_free, 3000, 40, 0);
    survives(1000, 20, allocator::default_pool);
    survives(2000, 30, private_pool);
    return pool_of(2);
  }

  DeviceHistory history_;
};

TEST_F(PoolInferenceTest, follows_the_stack_rather_than_the_neighbours) {
  EXPECT_EQ(pool_of_third(7), private_pool);
}

TEST_F(PoolInferenceTest, follows_the_neighbours_where_there_is_no_stack) {
  EXPECT_EQ(pool_of_third(0), allocator::default_pool);
}

/// PyTorch keeps private pools in a hash table, so a release of everything may take the second one
/// before the first.
TEST_F(PoolInferenceTest, takes_private_pools_to_be_released_in_any_order) {
  constexpr std::uint64_t size = 12;
  get(4000, size, 1);
  for (std::uint64_t number = 1; number <= 3; ++number) {
    const std::size_t first = history_.events.size();
    get(4000 - 1000 * number, size, 2);
    history_.noted_scopes.push_back({first, history_.events.size(), {0, number}});
  }
  for (const std::uint64_t at : {4000, 2000, 3000, 1000}) add(Action::segment_free, at, size, 0);
  EXPECT_EQ(pool_of(0), allocator::default_pool);
}

}  // namespace
}  // namespace vramlab::replay
