// The search for the largest utilization, with engines that are functions.
#include "replay/fit/utilization_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vramlab::replay {
namespace {

/// Searches among engines that start up to so many hundredths, on a device of which so much is
/// free.
UtilizationSearch search_up_to(unsigned largest, std::optional<std::uint64_t> free_bytes) {
  UtilizationSearch search;
  while (const auto wanted = search.wanted()) {
    if (search.runs().size() > 200) break;
    search.add({*wanted, *wanted <= largest, *wanted * 10}, 1'000'000, free_bytes);
  }
  return search;
}

TEST(UtilizationSearch, proves_every_answer_by_the_run_behind_it) {
  for (unsigned largest = 10; largest < 100; ++largest)
    for (const std::optional<std::uint64_t> free :
         {std::optional<std::uint64_t>(), std::optional<std::uint64_t>(985'000)}) {
      const UtilizationSearch search = search_up_to(largest, free);
      ASSERT_NE(search.largest(), nullptr) << largest;
      ASSERT_NE(search.next(), nullptr) << largest;
      EXPECT_EQ(search.largest()->hundredths, largest);
      EXPECT_EQ(search.next()->hundredths, largest + 1);
      EXPECT_EQ(search.largest()->cache_tokens, largest * 10);
    }
}

TEST(UtilizationSearch, needs_three_runs_where_the_free_memory_decides) {
  EXPECT_EQ(search_up_to(98, 985'000).runs().size(), 3U);
}

TEST(UtilizationSearch, all_of_the_device_has_none_behind_it) {
  const UtilizationSearch search = search_up_to(100, std::nullopt);
  EXPECT_EQ(search.largest()->hundredths, 100U);
  EXPECT_EQ(search.next(), nullptr);
}

TEST(UtilizationSearch, no_answer_where_none_starts) {
  EXPECT_EQ(search_up_to(0, std::nullopt).largest(), nullptr);
}

TEST(UtilizationSearch, fills_words_in) {
  EXPECT_EQ(utilization_text(7), "0.07");
  EXPECT_EQ(utilization_text(100), "1.00");
  EXPECT_TRUE(has_utilization({"serve", "u={utilization}"}));
  EXPECT_FALSE(has_utilization({"serve"}));
  EXPECT_THAT(words_with_utilization({"a", "u={utilization},v={utilization}"}, 95),
              testing::ElementsAre("a", "u=0.95,v=0.95"));
}

}  // namespace
}  // namespace vramlab::replay
