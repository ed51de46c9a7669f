#include "tools/cuda_standins/model/managed_advice.h"

#include <gtest/gtest.h>

namespace vramlab::dry_run {
namespace {

constexpr std::uint64_t page = 4096;
constexpr std::uint64_t begin = 0x7f00'0000'0000;

class ManagedAdviceOfFourPages : public testing::Test {
 protected:
  void prefetch(std::uint64_t first_page, std::uint64_t pages, MemoryPlace place) {
    advice_.change(begin + first_page * page, pages * page,
                   [place](PageAdvice& advice) { advice.last_prefetch = place; });
  }
  MemoryPlace last(std::uint64_t first_page, std::uint64_t pages) const {
    return advice_.common(begin + first_page * page, pages * page).last_prefetch;
  }

  ManagedAdvice advice_;
};

TEST_F(ManagedAdviceOfFourPages, holds_where_all_pages_have_it) {
  EXPECT_EQ(last(0, 4), no_place);
  prefetch(1, 2, 1);
  EXPECT_EQ(last(1, 2), 1);
  EXPECT_EQ(last(2, 1), 1);
  EXPECT_EQ(last(0, 2), no_place);
  EXPECT_EQ(last(1, 3), no_place);
  prefetch(0, 4, host_place);
  EXPECT_EQ(last(0, 4), host_place);
  prefetch(2, 1, 0);
  EXPECT_EQ(last(0, 2), host_place);
  EXPECT_EQ(last(2, 1), 0);
  EXPECT_EQ(last(3, 1), host_place);
}

TEST_F(ManagedAdviceOfFourPages, reaches_to_the_ends_of_pages) {
  advice_.change(begin + 100, page, [](PageAdvice& advice) { advice.is_read_mostly = true; });
  EXPECT_TRUE(advice_.common(begin, 2 * page).is_read_mostly);
  EXPECT_FALSE(advice_.common(begin, 2 * page + 1).is_read_mostly);
}

TEST_F(ManagedAdviceOfFourPages, users_are_those_of_every_page) {
  const auto add = [](MemoryPlace place) {
    return [place](PageAdvice& advice) { advice.accessed_by.insert(place); };
  };
  advice_.change(begin, 4 * page, add(0));
  advice_.change(begin + page, page, add(host_place));
  EXPECT_EQ(advice_.common(begin, 4 * page).accessed_by, std::set<MemoryPlace>{0});
  EXPECT_EQ(advice_.common(begin + page, page).accessed_by, (std::set<MemoryPlace>{host_place, 0}));
}

TEST_F(ManagedAdviceOfFourPages, is_gone_with_its_memory) {
  prefetch(0, 4, 1);
  advice_.forget(begin, 2 * page);
  EXPECT_EQ(last(0, 1), no_place);
  EXPECT_EQ(last(2, 2), 1);
}

}  // namespace
}  // namespace vramlab::dry_run
