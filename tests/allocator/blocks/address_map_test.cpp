// The map of live blocks beside a std::unordered_map.
#include "allocator/blocks/address_map.h"

#include <gtest/gtest.h>

#include <unordered_map>
#include <vector>

#include "tests/support/kit/random_numbers.h"

namespace vramlab::allocator {
namespace {

using namespace literals;

/// An arena whose blocks are only addresses.
struct BlocksAndMap {
  BlockIndex add(Address address) {
    const BlockIndex block = blocks.create();
    blocks[block] = Block(address, 512_B, SegmentIndex{0}, LaneIndex{0});
    map.insert(address, block);
    return block;
  }
  BlockIndex find(Address address) const { return map.find(address, blocks); }
  BlockIndex take(Address address) { return map.take(address, blocks); }
  BlockArena blocks;
  AddressMap map;
};

void run_random_map_operations(std::uint64_t seed, std::uint64_t step_bytes) {
  tests::RandomNumbers numbers(seed);
  BlocksAndMap both;
  std::unordered_map<std::uint64_t, BlockIndex> model;
  std::vector<std::uint64_t> keys;
  for (int step = 0; step < 20'000; ++step) {
    const std::uint64_t address = 0x7f0000000000 + step_bytes * numbers.below(8000);
    const auto found = model.find(address);
    ASSERT_EQ(both.find({address}), found == model.end() ? BlockIndex::none : found->second);
    if (found == model.end()) {
      model[address] = both.add({address});
    } else if (numbers.below(100) < 60) {
      ASSERT_EQ(both.take({address}), found->second);
      both.blocks.destroy(found->second);
      model.erase(found);
    }
    ASSERT_EQ(both.map.size(), model.size());
  }
  for (const auto& [address, block] : model) ASSERT_EQ(both.find({address}), block);
}

TEST(AddressMap, behaves_like_an_unordered_map_for_addresses_close_together) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) run_random_map_operations(seed, 512);
}

TEST(AddressMap, behaves_like_an_unordered_map_for_addresses_far_apart) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) run_random_map_operations(seed, 20ULL << 20);
}

TEST(AddressMap, addresses_that_share_a_tag_are_told_apart) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) run_random_map_operations(seed, 1);
}

TEST(AddressMap, knows_nothing_that_was_not_put_into_it) {
  BlocksAndMap both;
  EXPECT_EQ(both.find({0}), BlockIndex::none);
  EXPECT_EQ(both.take({4096}), BlockIndex::none);
  const BlockIndex block = both.add({4096});
  EXPECT_EQ(both.find({4096 + 512}), BlockIndex::none);
  EXPECT_EQ(both.find({4097}), BlockIndex::none);
  EXPECT_EQ(both.take({4096}), block);
  EXPECT_EQ(both.take({4096}), BlockIndex::none);
  EXPECT_EQ(both.map.size(), 0U);
}

TEST(AddressMap, finds_everything_after_growing) {
  BlocksAndMap both;
  std::vector<BlockIndex> blocks;
  for (std::uint64_t i = 0; i < 50'000; ++i) blocks.push_back(both.add({512 * (i + 1)}));
  for (std::uint64_t i = 0; i < 50'000; ++i) ASSERT_EQ(both.find({512 * (i + 1)}), blocks[i]);
}

}  // namespace
}  // namespace vramlab::allocator
