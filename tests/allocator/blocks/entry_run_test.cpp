// A run of many entries beside a std::map with the same keys.
#include "allocator/blocks/size_bins.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/support/kit/random_numbers.h"

namespace vramlab::allocator {
namespace {

BlockIndex block_for(std::uint64_t key) { return static_cast<BlockIndex>(key & 0xffffff); }

using Model = std::map<std::uint64_t, BlockIndex>;

void expect_same_order(const EntryRun& run, const Model& model) {
  ASSERT_EQ(run.is_empty(), model.empty());
  if (model.empty()) return;
  auto slot = run.lowest();
  for (const auto& [key, block] : model) {
    ASSERT_NE(slot, EntryRun::end());
    ASSERT_EQ(run.block_at(slot), block);
    slot = run.above(slot);
  }
  ASSERT_EQ(slot, EntryRun::end());
  slot = EntryRun::highest();
  for (auto entry = model.rbegin(); entry != model.rend(); ++entry) {
    ASSERT_NE(slot, EntryRun::end());
    ASSERT_EQ(run.block_at(slot), entry->second);
    slot = run.below(run.key_at(slot));
  }
  ASSERT_EQ(slot, EntryRun::end());
}

void expect_found(const EntryRun& run, const Model& model, std::uint64_t key) {
  const auto expected = model.lower_bound(key);
  const auto slot = run.at_or_above(key);
  if (expected == model.end()) {
    ASSERT_EQ(slot, EntryRun::end()) << key;
  } else {
    ASSERT_EQ(run.block_at(slot), expected->second) << key;
  }
  if (key == 0) return;
  const auto below = run.below(key);
  if (expected == model.begin()) {
    ASSERT_EQ(below, EntryRun::end()) << key;
  } else {
    ASSERT_EQ(run.block_at(below), std::prev(expected)->second) << key;
  }
}

TEST(EntryRun, behaves_like_a_map_under_random_operations) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    tests::RandomNumbers numbers(seed);
    const std::uint64_t key_count = numbers.pick(std::array<std::uint64_t, 3>{40, 400, 100'000});
    EntryRun run;
    Model model;
    for (int step = 0; step < 5000; ++step) {
      const std::uint64_t key = 1 + numbers.below(key_count);
      if (model.contains(key)) {
        run.remove_at(run.place_of(key));
        model.erase(key);
      } else {
        run.insert(key, block_for(key));
        model.emplace(key, block_for(key));
      }
      if (!model.empty()) expect_found(run, model, numbers.below(key_count + 10));
      if (HasFatalFailure()) return;
      if (step % 250 == 0) expect_same_order(run, model);
    }
    expect_same_order(run, model);
  }
}

TEST(EntryRun, keeps_its_order_when_filled_from_either_end) {
  EntryRun rising;
  EntryRun falling;
  Model model;
  for (std::uint64_t i = 1; i <= 1000; ++i) {
    rising.insert(i, block_for(i));
    falling.insert(1001 - i, block_for(1001 - i));
    model.emplace(i, block_for(i));
  }
  expect_same_order(rising, model);
  expect_same_order(falling, model);
}

TEST(EntryRun, is_used_again_after_it_was_emptied) {
  EntryRun run;
  for (int round = 0; round < 3; ++round) {
    for (std::uint64_t i = 1; i <= 300; ++i) run.insert(i, block_for(i));
    for (std::uint64_t i = 300; i >= 1; --i) run.remove_at(run.lowest());
    EXPECT_TRUE(run.is_empty());
  }
}

TEST(CountAbove, counts_the_descending_keys_above_one) {
  const std::array<std::uint64_t, 7> keys{90, 70, 50, 40, 30, 20, 10};
  for (std::uint32_t count = 0; count <= keys.size(); ++count) {
    for (std::uint64_t key = 0; key <= 100; key += 5) {
      std::uint32_t expected = 0;
      while (expected < count && keys[expected] > key) ++expected;
      EXPECT_EQ(count_above(keys.data(), count, key), expected) << count << " keys, " << key;
    }
  }
}

}  // namespace
}  // namespace vramlab::allocator
