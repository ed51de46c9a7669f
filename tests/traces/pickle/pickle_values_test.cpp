#include "traces/pickle/pickle_values.h"

#include <gtest/gtest.h>

namespace vramlab::traces {
namespace {

constexpr std::uint64_t several_pages = std::uint64_t{3} * 4096;

void store_passed(PickleMemo& memo, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) memo.set(memo.next_index(), {MemoKind::passed, 0});
}

TEST(PickleMemo, places_that_nothing_was_stored_in_are_empty) {
  PickleMemo memo;
  EXPECT_EQ(memo.get(0).kind, MemoKind::nothing);
  memo.set(5000, {MemoKind::text, 7});
  EXPECT_EQ(memo.get(4999).kind, MemoKind::nothing);
  EXPECT_EQ(memo.get(5000).kind, MemoKind::text);
  EXPECT_EQ(memo.get(5000).id, 7U);
  EXPECT_EQ(memo.get(5001).kind, MemoKind::nothing);
  EXPECT_EQ(memo.get(1U << 31).kind, MemoKind::nothing);
}

TEST(PickleMemo, values_that_passed_stay_known_as_such) {
  PickleMemo memo;
  store_passed(memo, several_pages + 1);
  EXPECT_EQ(memo.next_index(), several_pages + 1);
  for (std::uint64_t i = 0; i <= several_pages; ++i)
    ASSERT_EQ(memo.get(i).kind, MemoKind::passed) << i;
  EXPECT_EQ(memo.get(several_pages + 1).kind, MemoKind::nothing);
}

TEST(PickleMemo, value_completed_long_after_its_page_is_there_and_its_neighbours_too) {
  PickleMemo memo;
  store_passed(memo, several_pages);
  memo.set(4000, {MemoKind::stack, 12});
  EXPECT_EQ(memo.get(4000).kind, MemoKind::stack);
  EXPECT_EQ(memo.get(4000).id, 12U);
  EXPECT_EQ(memo.get(3999).kind, MemoKind::passed);
  EXPECT_EQ(memo.get(4001).kind, MemoKind::passed);
  EXPECT_EQ(memo.next_index(), several_pages);
}

TEST(PickleMemo, page_after_a_full_one_begins_empty) {
  PickleMemo memo;
  memo.set(0, {MemoKind::text, 1});
  store_passed(memo, 8191);
  memo.set(memo.next_index(), {MemoKind::frame, 3});
  EXPECT_EQ(memo.get(0).id, 1U);
  EXPECT_EQ(memo.get(8192).kind, MemoKind::frame);
  EXPECT_EQ(memo.get(8193).kind, MemoKind::nothing);
}

TEST(PickleMemo, value_stored_again_counts_once) {
  PickleMemo memo;
  memo.set(0, {MemoKind::passed, 0});
  memo.set(0, {MemoKind::stack, 4});
  memo.set(0, {MemoKind::stack, 5});
  EXPECT_EQ(memo.next_index(), 1U);
  EXPECT_EQ(memo.get(0).id, 5U);
}

TEST(PickleValues, more_values_outside_of_events_fit_into_longer_files) {
  constexpr std::uint64_t of_any_file = PickleValues::most_generic_values(0);
  EXPECT_EQ(of_any_file, 8'388'608U);
  EXPECT_EQ(PickleValues::most_generic_values(2), of_any_file);
  // An entry of pinned memory has 19 values with its keys, and takes 64 bytes.
  EXPECT_GT(PickleValues::most_generic_values(10'000'000ULL * 64), 10'000'000ULL * 19);
}

}  // namespace
}  // namespace vramlab::traces
