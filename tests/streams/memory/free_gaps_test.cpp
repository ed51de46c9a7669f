#include "streams/memory/free_gaps.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace vramlab::streams {
namespace {

using allocator::Address;
using allocator::Bytes;

constexpr AddressRange whole{{0}, {1000000}};

std::optional<Address> fit(const FreeGaps& gaps, std::uint64_t size) {
  return gaps.lowest_fit({{size}, {1}, whole});
}

TEST(FreeGaps, the_lowest_gap_that_is_large_enough_is_found) {
  FreeGaps gaps(whole);
  gaps.take({{0}, {400}});
  gaps.give_back({{100}, {110}});
  gaps.give_back({{200}, {230}});
  EXPECT_EQ(fit(gaps, 10), Address{100});
  EXPECT_EQ(fit(gaps, 11), Address{200});
  EXPECT_EQ(fit(gaps, 31), Address{400});
  EXPECT_EQ(fit(gaps, 2000000), std::nullopt);
}

TEST(FreeGaps, ranges_given_back_join_their_neighbours) {
  FreeGaps gaps(whole);
  gaps.take(whole);
  EXPECT_EQ(gaps.gap_count(), 0U);
  gaps.give_back({{10}, {20}});
  gaps.give_back({{30}, {40}});
  EXPECT_EQ(gaps.gap_count(), 2U);
  gaps.give_back({{20}, {30}});
  EXPECT_EQ(gaps.gap_count(), 1U);
  EXPECT_EQ(fit(gaps, 30), Address{10});
}

TEST(FreeGaps, a_window_limits_the_search) {
  const FreeGaps gaps(whole);
  EXPECT_EQ(gaps.lowest_fit({{50}, {1}, {{100}, {160}}}), Address{100});
  EXPECT_EQ(gaps.lowest_fit({{61}, {1}, {{100}, {160}}}), std::nullopt);
}

TEST(FreeGaps, places_are_aligned) {
  FreeGaps gaps(whole);
  gaps.take({{0}, {5}});
  EXPECT_EQ(gaps.lowest_fit({{8}, {8}, whole}), Address{8});
}

TEST(FreeGaps, huge_sizes_find_nothing) {
  const FreeGaps gaps(whole);
  EXPECT_EQ(fit(gaps, ~std::uint64_t{0}), std::nullopt);
}

TEST(FreeGapsDeathTest, addresses_are_taken_once_and_given_back_once) {
  FreeGaps gaps(whole);
  gaps.take({{10}, {20}});
  EXPECT_DEATH(gaps.take({{15}, {25}}), "only free addresses are taken");
  EXPECT_DEATH(gaps.give_back({{15}, {25}}), "given back once");
  EXPECT_DEATH(gaps.give_back({{5}, {15}}), "given back once");
}

/// The same in the obvious way: taken ranges in a map, with the gaps between them.
class PlainGaps {
 public:
  std::optional<Address> lowest_fit(std::uint64_t size) const {
    std::uint64_t begin = whole.begin.value;
    for (const auto& [at, taken] : taken_) {
      if (at - begin >= size) return Address{begin};
      begin = at + taken;
    }
    if (whole.end.value - begin >= size) return Address{begin};
    return std::nullopt;
  }
  void take(Address at, std::uint64_t size) { taken_[at.value] = size; }
  AddressRange give_back_nth(std::size_t n) {
    const auto found = std::next(taken_.begin(), static_cast<std::ptrdiff_t>(n));
    const AddressRange range{{found->first}, {found->first + found->second}};
    taken_.erase(found);
    return range;
  }
  std::size_t count() const { return taken_.size(); }

 private:
  std::map<std::uint64_t, std::uint64_t> taken_;
};

TEST(FreeGaps, random_takes_and_returns_agree_with_the_obvious_way) {
  std::mt19937_64 random(20240607);
  FreeGaps gaps(whole);
  PlainGaps plain;
  for (int step = 0; step < 25000; ++step) {
    // Most calls take at first, so that hundreds of gaps come up; later most calls give back.
    if (plain.count() == 0 || random() % 100 < (step < 8000 ? 70U : 48U)) {
      const std::uint64_t size = 1 + random() % (random() % 10 == 0 ? 2000 : 40);
      const auto at = gaps.lowest_fit({{size}, {1}, whole});
      ASSERT_EQ(at, plain.lowest_fit(size)) << "step " << step;
      if (!at) continue;
      gaps.take({*at, *at + Bytes{size}});
      plain.take(*at, size);
    } else {
      gaps.give_back(plain.give_back_nth(random() % plain.count()));
    }
  }
  while (plain.count() > 0) gaps.give_back(plain.give_back_nth(plain.count() / 2));
  EXPECT_EQ(gaps.gap_count(), 1U);
  EXPECT_TRUE(gaps.is_free(whole));
}

}  // namespace
}  // namespace vramlab::streams
