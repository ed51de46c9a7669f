// The ordered free set beside a std::set that is asked the same things.
#include "allocator/blocks/free_blocks.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

#include "tests/support/kit/random_numbers.h"

namespace vramlab::allocator {
namespace {

using namespace literals;

using Key = std::pair<Bytes, Address>;

BlockIndex block_for(Address address) {
  return static_cast<BlockIndex>(address.value >> 9 & 0xfffffff);
}

/// The set and its model: every change is made to both, every question asked of both.
class FreeBlocksBesideModel {
 public:
  void insert(Bytes size, Address address) {
    set_.insert(size, address, block_for(address));
    model_.insert({size, address});
  }
  void remove(const Key& key) {
    set_.remove_at(place_of(key));
    model_.erase(key);
  }
  void replace(const Key& key, const Key& by) {
    set_.replace_at(place_of(key), by.first, by.second, block_for(by.second));
    model_.erase(key);
    model_.insert(by);
  }
  void take_best_fit(Bytes size) {
    const auto at = set_.at_or_after(size);
    const auto expected = model_.lower_bound({size, Address{0}});
    ASSERT_EQ(static_cast<bool>(at), expected != model_.end());
    if (!at) return;
    ASSERT_EQ(set_.block_at(at), block_for(expected->second));
    set_.remove_at(at);
    model_.erase(expected);
  }
  void expect_best_fit(Bytes size) const {
    const auto at = set_.at_or_after(size);
    const auto expected = model_.lower_bound({size, Address{0}});
    ASSERT_EQ(static_cast<bool>(at), expected != model_.end()) << size.count;
    if (!at) return;
    ASSERT_EQ(set_.block_at(at), block_for(expected->second)) << size.count;
    expect_neighbours(at, expected);
  }
  void expect_same_order() const {
    ASSERT_EQ(set_.size(), model_.size());
    ASSERT_EQ(set_.is_empty(), model_.empty());
    auto at = set_.first();
    for (const Key& key : model_) {
      ASSERT_TRUE(at);
      ASSERT_EQ(set_.block_at(at), block_for(key.second));
      at = set_.next(at);
    }
    ASSERT_FALSE(at);
    at = set_.last();
    for (auto key = model_.rbegin(); key != model_.rend(); ++key) {
      ASSERT_TRUE(at);
      ASSERT_EQ(set_.block_at(at), block_for(key->second));
      at = set_.previous(at);
    }
    ASSERT_FALSE(at);
  }
  const std::set<Key>& model() const { return model_; }
  const FreeBlocks& set() const { return set_; }

 private:
  FreeBlocks::Cursor place_of(const Key& key) const {
    return set_.place_of(key.first, key.second, block_for(key.second));
  }
  void expect_neighbours(FreeBlocks::Cursor at, std::set<Key>::const_iterator expected) const {
    const auto next = set_.next(at);
    ASSERT_EQ(static_cast<bool>(next), std::next(expected) != model_.end());
    if (next) {
      ASSERT_EQ(set_.block_at(next), block_for(std::next(expected)->second));
    }
    const auto previous = set_.previous(at);
    ASSERT_EQ(static_cast<bool>(previous), expected != model_.begin());
    if (previous) {
      ASSERT_EQ(set_.block_at(previous), block_for(std::prev(expected)->second));
    }
  }

  FreeBlocks set_;
  std::set<Key> model_;
};

/// A size of up to so many bits, often right at a border of the bins.
Bytes random_size(tests::RandomNumbers& numbers, unsigned most_bits) {
  const std::uint64_t magnitude = std::uint64_t{1} << numbers.between(9, most_bits);
  if (numbers.one_in(4)) return {magnitude + 512 * numbers.below(3) - (magnitude > 512 ? 512 : 0)};
  return {(magnitude + numbers.below(magnitude)) / 512 * 512};
}

struct RandomSet {
  unsigned most_bits;
  std::size_t most_blocks = 4000;
};

void run_random_block_operations(std::uint64_t seed, const RandomSet& shape) {
  tests::RandomNumbers numbers(seed);
  FreeBlocksBesideModel both;
  std::vector<Key> held;
  std::uint64_t next_address = 512;
  for (int step = 0; step < 4000; ++step) {
    if (held.empty() || (held.size() < shape.most_blocks && numbers.below(100) < 55)) {
      const Key key{random_size(numbers, shape.most_bits), Address{next_address}};
      next_address += 512 * numbers.between(1, 9);
      both.insert(key.first, key.second);
      held.push_back(key);
    } else {
      // Half of the blocks came lately.
      const std::size_t from =
          numbers.one_in(2) ? held.size() - std::min<std::size_t>(held.size(), 3) : 0;
      std::swap(held[from + numbers.below(held.size() - from)], held.back());
      if (numbers.one_in(2)) {
        const Key by{random_size(numbers, shape.most_bits), Address{next_address}};
        next_address += 512;
        both.replace(held.back(), by);
        held.back() = by;
      } else {
        both.remove(held.back());
        held.pop_back();
      }
    }
    both.expect_best_fit(random_size(numbers, shape.most_bits));
    if (testing::Test::HasFatalFailure()) return;
    if (step % 200 == 0 || held.size() < 8) both.expect_same_order();
  }
  both.expect_same_order();
}

TEST(FreeBlocks, behave_like_an_ordered_set_with_small_sizes) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    run_random_block_operations(seed, {20});
  }
}

TEST(FreeBlocks, behave_like_an_ordered_set_with_all_sizes) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    run_random_block_operations(seed, {40});
  }
}

TEST(FreeBlocks, behave_like_an_ordered_set_with_few_blocks) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    run_random_block_operations(seed, {seed % 2 == 0 ? 12U : 36U, 1 + seed % 6});
  }
}

TEST(FreeBlocks, order_sizes_around_the_largest_that_a_key_holds) {
  const std::vector<Bytes> sizes = {1_MiB,         8_GiB - 512_B, 8_GiB, 8_GiB + 512_B,
                                    8_GiB + 1_MiB, 16_GiB,        512_B};
  // The two blocks that come last stand apart from the others.
  for (std::size_t first = 0; first < sizes.size(); ++first) {
    FreeBlocksBesideModel both;
    for (std::size_t i = 0; i < sizes.size(); ++i)
      both.insert(sizes[(first + i) % sizes.size()], Address{512 * (i + 1)});
    both.expect_same_order();
    for (const Bytes size : sizes) both.expect_best_fit(size);
    for (const Bytes size : {8_GiB, 8_GiB + 512_B, 24_GiB}) both.take_best_fit(size);
    both.expect_same_order();
  }
}

TEST(FreeBlocks, a_block_that_comes_in_place_of_another_may_be_smaller_or_larger_than_a_key_holds) {
  FreeBlocksBesideModel both;
  both.insert(1_MiB, Address{512});
  both.insert(8_GiB, Address{1024});
  both.replace({1_MiB, Address{512}}, {9_GiB, Address{1536}});
  both.expect_same_order();
  both.replace({8_GiB, Address{1024}}, {2_MiB, Address{2048}});
  both.expect_same_order();
  both.replace({2_MiB, Address{2048}}, {2_MiB, Address{512}});
  both.expect_same_order();
}

TEST(FreeBlocks, keep_thousands_of_blocks_of_one_size_in_order_of_address) {
  for (const Bytes size : {512_B, 2_MiB, 2_MiB + 512_B, 20_MiB, 1_GiB}) {
    tests::RandomNumbers numbers(size.count);
    FreeBlocksBesideModel both;
    std::vector<Key> held;
    for (std::uint64_t i = 0; i < 5000; ++i)
      held.push_back({size, Address{512 * (1 + (i * 2654435761U) % 1000003)}});
    for (const Key& key : held) both.insert(key.first, key.second);
    both.expect_same_order();
    for (int i = 0; i < 2500; ++i) {
      std::swap(held[numbers.below(held.size())], held.back());
      both.remove(held.back());
      held.pop_back();
    }
    both.expect_same_order();
    while (!both.model().empty()) both.take_best_fit(size);
    EXPECT_TRUE(both.set().is_empty());
    both.insert(size, Address{512});
    both.expect_same_order();
  }
}

TEST(FreeBlocks, keep_many_sizes_that_share_a_bin_apart) {
  FreeBlocksBesideModel both;
  // 64 MiB and the next 1024 sizes fall into one bin of half a mebibyte.
  for (std::uint64_t i = 0; i < 1000; ++i)
    both.insert(64_MiB + 512_B * (i * 7 % 1000), Address{512 * (i + 1)});
  both.expect_same_order();
  for (std::uint64_t i = 0; i < 1010; ++i) both.expect_best_fit(64_MiB + 512_B * i);
}

TEST(FreeBlocks, find_the_size_just_below_and_just_above_the_last_exact_bin) {
  FreeBlocksBesideModel both;
  both.insert(128_KiB - 512_B, Address{512});
  both.insert(128_KiB, Address{1024});
  both.insert(128_KiB + 512_B, Address{1536});
  for (const Bytes size :
       {128_KiB - 1024_B, 128_KiB - 512_B, 128_KiB, 128_KiB + 512_B, 128_KiB + 1024_B})
    both.expect_best_fit(size);
}

TEST(FreeBlocks, have_nothing_for_a_size_beyond_every_bin) {
  FreeBlocks set;
  EXPECT_FALSE(set.at_or_after(512_B));
  set.insert(1_GiB * 1024, Address{512}, BlockIndex{1});
  EXPECT_TRUE(set.at_or_after(1_GiB * 1024));
  EXPECT_FALSE(set.at_or_after(1_GiB * 1024 + 512_B));
  EXPECT_FALSE(set.at_or_after(Bytes{(1ULL << 60) - 512}));
}

TEST(FreeBlocks, an_empty_set_has_no_first_and_no_last) {
  FreeBlocks set;
  EXPECT_TRUE(set.is_empty());
  EXPECT_FALSE(set.first());
  EXPECT_FALSE(set.last());
  set.insert(1_MiB, Address{512}, BlockIndex{7});
  set.remove_at(set.place_of(1_MiB, Address{512}, BlockIndex{7}));
  EXPECT_TRUE(set.is_empty());
  EXPECT_FALSE(set.first());
  EXPECT_FALSE(set.last());
}

TEST(FreeBlocks, addresses_at_the_top_of_the_range_keep_their_order) {
  FreeBlocksBesideModel both;
  for (std::uint64_t i = 1; i <= 40; ++i) {
    both.insert(20_MiB, Address{highest_address.value - (i * 20 << 20)});
    both.insert(20_MiB, Address{i * 20 << 20});
  }
  both.expect_same_order();
}

}  // namespace
}  // namespace vramlab::allocator
