// Packings against a brute-force check, lower bounds, and the true optimum where it can be found.
#include "replay/packing/best_packing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "replay/packing/buffer.h"
#include "replay/packing/floor_search.h"
#include "replay/packing/free_ranges.h"
#include "replay/packing/packing_orders.h"
#include "tests/support/kit/random_numbers.h"
#include "tests/support/recordings/packing_instances.h"

namespace vramlab::tests {
namespace {

using allocator::Bytes;
using replay::Buffer;
using replay::Packing;
using replay::PackingResult;
using replay::Sections;
using support::guillotine_buffers;
using support::random_buffers;
using support::textbook_optimum;

constexpr std::uint64_t instance_count = 300;

/// Places each buffer at the lowest offset that no buffer of the same time has, by looking at all
/// pairs.
std::vector<Bytes> placed_by_pairs(const std::vector<Buffer>& buffers,
                                   const replay::BufferOrder& order) {
  std::vector<Bytes> offsets(buffers.size());
  std::vector<std::uint32_t> placed;
  for (const std::uint32_t i : order) {
    const auto is_free = [&](Bytes offset) {
      return std::ranges::none_of(placed, [&](std::uint32_t other) {
        return buffers[i].begin < buffers[other].end && buffers[other].begin < buffers[i].end &&
               offset < offsets[other] + buffers[other].size &&
               offsets[other] < offset + buffers[i].size;
      });
    };
    std::vector<Bytes> tried = {Bytes{0}};
    for (const std::uint32_t other : placed) {
      const Bytes end = offsets[other] + buffers[other].size;
      tried.push_back({replay::aligned_up(end.count, buffers[i].alignment.count)});
    }
    std::ranges::sort(tried);
    if (buffers[i].size.count > 0) offsets[i] = *std::ranges::find_if(tried, is_free);
    placed.push_back(i);
  }
  return offsets;
}

replay::PackingLimits little_search() {
  replay::PackingLimits limits;
  limits.skyline_work = 200'000;
  return limits;
}

TEST(Packing, by_every_heuristic_is_without_fault_and_not_below_the_load) {
  for (std::uint64_t seed = 0; seed < instance_count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::vector<Buffer> buffers = random_buffers(seed, 1 + seed % 80);
    const Sections sections = sections_of(buffers);
    const Packing in_time = place_in_time(buffers);
    EXPECT_EQ(packing_fault(buffers, in_time), std::nullopt);
    EXPECT_GE(in_time.height, load_bound(sections));
    for (const replay::PackingOrder& order : replay::packing_orders()) {
      const Packing packing =
          *place_in_order(buffers, sections, order_by(order, buffers, sections));
      EXPECT_EQ(packing_fault(buffers, packing), std::nullopt) << order.name;
      EXPECT_GE(packing.height, load_bound(sections)) << order.name;
    }
  }
}

TEST(Packing, in_an_order_is_the_same_by_sections_and_by_pairs) {
  for (std::uint64_t seed = 0; seed < instance_count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::vector<Buffer> buffers = random_buffers(seed, 1 + seed % 120);
    const Sections sections = sections_of(buffers);
    for (const replay::PackingOrder& order : replay::packing_orders()) {
      const replay::BufferOrder indices = order_by(order, buffers, sections);
      EXPECT_EQ(place_in_order(buffers, sections, indices)->offsets,
                placed_by_pairs(buffers, indices))
          << order.name;
    }
  }
}

TEST(Packing, of_few_small_buffers_is_never_below_the_optimum_and_found_there) {
  for (std::uint64_t seed = 0; seed < instance_count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::vector<Buffer> buffers = random_buffers(seed, 1 + seed % 5, 6, 4);
    const Bytes optimum = textbook_optimum(buffers);
    const Sections sections = sections_of(buffers);
    EXPECT_GE(optimum, load_bound(sections));
    const PackingResult result = best_packing(buffers, little_search());
    EXPECT_EQ(packing_fault(buffers, result.packing), std::nullopt);
    EXPECT_GE(result.packing.height, optimum);
    for (const replay::TriedPacking& tried : result.tried) EXPECT_GE(tried.height, optimum);
    const auto found = floor_search(buffers, sections, optimum, {100'000});
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(packing_fault(buffers, *found), std::nullopt);
    EXPECT_FALSE(floor_search(buffers, sections, optimum - Bytes{1}, {100'000}).has_value());
  }
}

TEST(Packing, that_fills_a_rectangle_is_found_for_small_ones) {
  std::uint64_t optimal = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::vector<Buffer> buffers = guillotine_buffers(seed, 16, 1'000);
    const PackingResult result = best_packing(buffers, little_search());
    EXPECT_EQ(packing_fault(buffers, result.packing), std::nullopt);
    EXPECT_EQ(result.load_bound, Bytes{1'000});
    if (result.is_optimal()) ++optimal;
  }
  EXPECT_EQ(optimal, 40U);
}

TEST(Packing, that_fills_a_rectangle_is_found_for_hundreds) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::vector<Buffer> buffers = guillotine_buffers(seed, 200, 100'000);
    const PackingResult result = best_packing(buffers, little_search());
    EXPECT_EQ(packing_fault(buffers, result.packing), std::nullopt);
    EXPECT_TRUE(result.is_optimal()) << result.packing.height.count;
  }
}

TEST(Packing, is_found_where_what_is_to_come_falls_apart_and_one_part_needs_another_try) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::vector<Buffer> buffers;
    for (std::uint32_t k = 0; const Buffer& buffer : guillotine_buffers(seed, 32, 1'000))
      if (k++ % 3 != 0) buffers.push_back(buffer);
    const auto found = floor_search(buffers, sections_of(buffers), Bytes{1'000}, {100'000});
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(packing_fault(buffers, *found), std::nullopt);
  }
}

/// A full rectangle; some of its buffers go on beside a lower rectangle that begins when it ends.
std::vector<Buffer> peak_and_less_beside_it(std::uint64_t seed) {
  std::vector<Buffer> buffers = guillotine_buffers(seed, 60, 1'000);
  Bytes going_on;
  for (Buffer& buffer : buffers) {
    if (buffer.end != 1'000 || going_on + buffer.size > Bytes{300}) continue;
    going_on = going_on + buffer.size;
    buffer.end = 1'900;
  }
  for (Buffer buffer : guillotine_buffers(seed + 500, 60, 700)) {
    buffer.begin = std::max<std::uint64_t>(buffer.begin + 900, 1'000);
    buffer.end += 900;
    if (buffer.begin < buffer.end) buffers.push_back(buffer);
  }
  return buffers;
}

TEST(Packing, is_found_where_the_others_do_not_fit_around_what_was_placed_near_the_peak) {
  for (std::uint64_t seed = 20; seed < 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::vector<Buffer> buffers = peak_and_less_beside_it(seed);
    replay::PackingLimits limits = little_search();
    limits.floor_states = 100'000;
    const PackingResult result = best_packing(buffers, limits);
    EXPECT_EQ(packing_fault(buffers, result.packing), std::nullopt);
    EXPECT_TRUE(result.is_optimal()) << result.packing.height.count;
  }
}

TEST(Packing, is_the_same_in_whichever_order_the_walks_run) {
  const std::vector<Buffer> buffers = guillotine_buffers(3, 60, 1'000);
  const Sections sections = sections_of(buffers);
  const auto backward = [](std::size_t count, const std::function<void(std::size_t)>& task) {
    while (count > 0) task(--count);
  };
  const auto one = floor_search(buffers, sections, Bytes{1'000}, {100'000});
  const auto other = floor_search(buffers, sections, Bytes{1'000}, {100'000, 1, {backward}});
  ASSERT_TRUE(one.has_value());
  ASSERT_TRUE(other.has_value());
  EXPECT_EQ(one->offsets, other->offsets);
}

TEST(Packing, keeps_alignments) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::vector<Buffer> buffers = random_buffers(seed, 40);
    for (std::size_t i = 0; i < buffers.size(); ++i) buffers[i].alignment = Bytes{i % 3 + 1};
    const Sections sections = sections_of(buffers);
    const Bytes generous = load_bound(sections) + load_bound(sections);
    const auto found = floor_search(buffers, sections, generous, {100'000});
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(packing_fault(buffers, *found), std::nullopt);
  }
}

TEST(Packing, is_low_enough_at_its_target) {
  const std::vector<Buffer> buffers = random_buffers(11, 120);
  replay::PackingLimits limits = little_search();
  const PackingResult lowest = best_packing(buffers, limits);
  limits.target = lowest.packing.height + Bytes{1};
  const PackingResult enough = best_packing(buffers, limits);
  EXPECT_LE(enough.packing.height, *limits.target);
  limits.target = Bytes{lowest.load_bound.count * 4};
  EXPECT_EQ(best_packing(buffers, limits).tried.size(), 1U) << "the first one is low enough";
}

TEST(Packing, ends_with_the_best_so_far_where_somebody_ends_it) {
  const std::vector<Buffer> buffers = guillotine_buffers(5, 200, 100'000);
  for (const int most_questions : {0, 1, 3, 10, 100}) {
    SCOPED_TRACE(most_questions);
    int questions = 0;
    replay::PackingLimits limits;
    limits.runs.is_over = [&] { return questions++ >= most_questions; };
    const PackingResult ended = best_packing(buffers, limits);
    EXPECT_EQ(packing_fault(buffers, ended.packing), std::nullopt);
    EXPECT_TRUE(ended.was_ended);
    EXPECT_FALSE(ended.is_optimal());
  }
  const PackingResult whole = best_packing(buffers);
  EXPECT_FALSE(whole.was_ended);
  EXPECT_TRUE(whole.is_optimal());
}

TEST(Packing, of_more_buffers_than_the_limits_allow_says_what_was_left_out) {
  const std::vector<Buffer> buffers = random_buffers(7, 5'100);
  replay::PackingLimits limits = little_search();
  limits.most_for_all_orders = 400;
  limits.most_for_floor_search = 400;
  const PackingResult one_order = best_packing(buffers, limits);
  EXPECT_EQ(packing_fault(buffers, one_order.packing), std::nullopt);
  EXPECT_EQ(one_order.tried.at(1).heuristic, "size");
  limits.most_for_one_order = 400;
  const PackingResult in_time = best_packing(buffers, limits);
  EXPECT_EQ(in_time.tried.size(), 1U);
  EXPECT_EQ(in_time.heuristic, "time_best_fit");
  EXPECT_GE(in_time.left_out.size(), 1U);
  replay::PackingLimits little_work = little_search();
  little_work.most_work_of_order = 10;
  little_work.most_for_floor_search = 400;
  const PackingResult given_up = best_packing(buffers, little_work);
  EXPECT_EQ(given_up.tried.size(), 1U);
  EXPECT_THAT(given_up.left_out, testing::Contains(testing::HasSubstr("placing them by area")));
}

TEST(Packing, of_nothing_has_no_height) {
  const PackingResult result = best_packing(std::vector<Buffer>{});
  EXPECT_EQ(result.packing.height, Bytes{0});
  EXPECT_TRUE(result.is_optimal());
  EXPECT_EQ(packing_fault({}, result.packing), std::nullopt);
}

TEST(FreeRanges, give_the_lowest_range_that_fits_however_many_do) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomNumbers random(seed);
    replay::FreeRanges free;
    std::vector<replay::FreeRange> ranges;
    std::uint64_t at = 0;
    for (std::size_t i = random.below(20); i > 0; --i) {
      const std::uint64_t begin = at + random.between(1, 9);
      ranges.push_back({begin, begin + random.between(1, 9)});
      at = ranges.back().end;
      free.give_back(ranges.back(), ranges.back());
    }
    for (std::uint64_t size = 1; size < 11; ++size) {
      const auto lowest = std::ranges::find_if(
          ranges, [&](const replay::FreeRange& range) { return range.size() >= size; });
      const auto found = free.first_fit(size);
      ASSERT_EQ(found.has_value(), lowest != ranges.end());
      if (!found) continue;
      EXPECT_EQ(found->begin, lowest->begin);
      const auto best = free.best_fit(size, 1);
      ASSERT_EQ(best.has_value(), found.has_value());
      for (const replay::FreeRange& range : ranges)
        EXPECT_TRUE(range.size() < size || best->size() <= range.size());
    }
  }
}

TEST(PackingCheck, finds_what_is_wrong) {
  const std::vector<Buffer> buffers = {{0, 4, {8}}, {2, 6, {8}}, {4, 8, {8}, {4}}};
  EXPECT_EQ(packing_fault(buffers, {{{0}, {8}, {0}}, {16}}), std::nullopt);
  EXPECT_THAT(packing_fault(buffers, {{{0}, {7}, {16}}, {24}}),
              testing::Optional(testing::HasSubstr("overlaps")));
  EXPECT_THAT(packing_fault(buffers, {{{0}, {8}, {2}}, {16}}),
              testing::Optional(testing::HasSubstr("not aligned")));
  EXPECT_THAT(packing_fault(buffers, {{{0}, {8}, {0}}, {15}}),
              testing::Optional(testing::HasSubstr("above the height")));
  EXPECT_THAT(packing_fault(buffers, {{{0}, {8}, {0}}, {17}}),
              testing::Optional(testing::HasSubstr("the highest end")));
  EXPECT_THAT(packing_fault(buffers, {{{0}, {8}}, {16}}),
              testing::Optional(testing::HasSubstr("one offset")));
}

TEST(Sections, tell_which_buffers_overlap_and_how_much_is_there) {
  for (std::uint64_t seed = 0; seed < instance_count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::vector<Buffer> buffers = random_buffers(seed, 1 + seed % 30);
    const Sections sections = sections_of(buffers);
    std::uint64_t highest = 0;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      std::uint64_t load = 0;
      for (std::size_t j = 0; j < buffers.size(); ++j) {
        const bool overlap = buffers[i].begin < buffers[j].end && buffers[j].begin < buffers[i].end;
        EXPECT_EQ(overlap, sections.spans[i].first < sections.spans[j].last &&
                               sections.spans[j].first < sections.spans[i].last);
        if (buffers[j].begin <= buffers[i].begin && buffers[i].begin < buffers[j].end)
          load += buffers[j].size.count;
      }
      highest = std::max(highest, load);
    }
    EXPECT_EQ(load_bound(sections), Bytes{highest});
  }
}

}  // namespace
}  // namespace vramlab::tests
