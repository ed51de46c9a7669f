#include "replay/fit/largest_value.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

namespace vramlab::replay {
namespace {

using Need = std::function<std::uint64_t(double value)>;

/// Needs and memory are told in this unit, which is more than a segment.
constexpr std::uint64_t unit = 64U << 20U;

struct MadeSearch {
  SearchFacts facts;
  std::size_t runs = 0;
};

SearchFacts facts_of(std::size_t count, std::uint64_t memory) {
  SearchFacts facts;
  for (std::size_t i = 0; i < count; ++i) facts.values.push_back(static_cast<double>(i + 1));
  facts.memory = Bytes{memory * unit};
  return facts;
}

/// Makes up to `at_once` wanted runs before it asks again.
MadeSearch search(SearchFacts facts, const Need& need, std::size_t at_once = 1) {
  MadeSearch made{std::move(facts), 0};
  while (made.runs < 10'000) {
    const std::vector<WantedRun> wanted = wanted_runs(made.facts);
    if (wanted.empty()) break;
    for (std::size_t i = 0; i < std::min(at_once, wanted.size()); ++i) {
      const std::size_t index = wanted[i].index;
      const Bytes needed{need(made.facts.values[index]) * unit};
      const bool fits = needed <= made.facts.memory;
      if (wanted[i].limit == RunLimit::memory_of_gpu) made.facts.fits[index] = fits;
      if (wanted[i].limit == RunLimit::none || fits) made.facts.needs[index] = needed;
      ++made.runs;
    }
  }
  return made;
}

std::optional<std::size_t> largest_of_all(const SearchFacts& facts, const Need& need) {
  std::optional<std::size_t> largest;
  for (std::size_t i = 0; i < facts.values.size(); ++i)
    if (Bytes{need(facts.values[i]) * unit} <= facts.memory) largest = i;
  return largest;
}

void expect_proof(const SearchFacts& facts, const Need& need) {
  const LargestValue answer = largest_value(facts);
  if (answer.fits) {
    EXPECT_TRUE(facts.fits.at(*answer.fits));
  }
  const std::size_t next = answer.fits ? *answer.fits + 1 : 0;
  EXPECT_EQ(answer.next, next < facts.values.size() ? std::optional(next) : std::nullopt);
  if (answer.next) {
    EXPECT_FALSE(facts.fits.at(*answer.next));
    EXPECT_GT(Bytes{need(facts.values[*answer.next]) * unit}, facts.memory);
  }
}

TEST(LargestValue, straight_curve_takes_five_runs) {
  const Need need = [](double value) { return 2'310 + static_cast<std::uint64_t>(980 * value); };
  const MadeSearch made = search(facts_of(512, 40'000), need);
  EXPECT_EQ(largest_value(made.facts).fits, 37U);
  EXPECT_LE(made.runs, 5U);
}

TEST(LargestValue, guess_that_is_right_wants_both_proving_runs) {
  SearchFacts facts = facts_of(64, 105);
  facts.needs = {{0, Bytes{unit}}, {8, Bytes{90 * unit}}, {9, Bytes{100 * unit}}};
  EXPECT_EQ(wanted_runs(facts),
            (std::vector<WantedRun>{{9, RunLimit::memory_of_gpu}, {10, RunLimit::memory_of_gpu}}));
}

TEST(LargestValue, need_is_told_if_nothing_fits) {
  const Need need = [](double value) { return static_cast<std::uint64_t>(100 + value); };
  for (const std::size_t count : {1, 2, 3, 50}) {
    const MadeSearch made = search(facts_of(count, 50), need);
    EXPECT_EQ(largest_value(made.facts).fits, std::nullopt);
    EXPECT_EQ(largest_value(made.facts).next, 0U);
    EXPECT_TRUE(made.facts.needs.contains(0));
  }
}

TEST(LargestValue, single_value_that_fits_takes_one_run) {
  EXPECT_EQ(search(facts_of(1, 50), [](double) { return 1; }).runs, 1U);
}

TEST(LargestValue, all_values_may_fit) {
  const MadeSearch made = search(facts_of(512, 1'000'000), [](double) { return 7; });
  EXPECT_EQ(largest_value(made.facts).fits, 511U);
  EXPECT_EQ(largest_value(made.facts).next, std::nullopt);
  EXPECT_LE(made.runs, 4U);
}

TEST(LargestValue, hints_of_another_gpu_leave_out_the_lessons) {
  const Need need = [](double value) { return 500 + static_cast<std::uint64_t>(31 * value); };
  SearchFacts facts = facts_of(512, 10'000);
  for (const std::size_t index : {0, 7, 300})
    facts.hints[index] = Bytes{(need(facts.values[index]) + 24) * unit};
  EXPECT_LE(search(facts, need).runs, 3U);
}

TEST(LargestValue, larger_value_that_fits_again_is_found_behind_a_surprise) {
  // Values that are a multiple of 8 take another kernel, which needs much less.
  const Need need = [](double value) {
    const auto number = static_cast<std::uint64_t>(value);
    return number >= 40 && number % 8 != 0 ? 10'000 : 100 * number;
  };
  const MadeSearch made = search(facts_of(100, 4'950), need);
  expect_proof(made.facts, need);
  EXPECT_EQ(largest_value(made.facts).fits, 47U);
  EXPECT_FALSE(largest_value(made.facts).failed_below.empty());
}

TEST(LargestValue, value_near_the_limit_may_fit_again) {
  // Each value needs a megabyte more, and one segment more or less by chance.
  constexpr std::uint64_t mebibyte = 1U << 20U;
  SearchFacts facts = facts_of(10, 0);
  facts.memory = Bytes{386 * mebibyte};
  const auto need = [](std::size_t index) {
    const bool has_more = index == 0 || index == 4 || index == 8;
    return Bytes{(360 + index + (has_more ? 20 : 0)) * mebibyte};
  };
  std::size_t runs = 0;
  for (auto wanted = wanted_runs(facts); !wanted.empty() && runs < 30;
       wanted = wanted_runs(facts), ++runs) {
    const std::size_t index = wanted[0].index;
    const bool fits = need(index) <= facts.memory;
    if (wanted[0].limit == RunLimit::memory_of_gpu) facts.fits[index] = fits;
    if (wanted[0].limit == RunLimit::none || fits) facts.needs[index] = need(index);
  }
  EXPECT_EQ(largest_value(facts).fits, 9U);
  EXPECT_LE(runs, 10U);
}

TEST(LargestValue, neighbours_that_differ_by_a_segment_are_no_slope) {
  constexpr std::uint64_t mebibyte = 1U << 20U;
  SearchFacts facts = facts_of(10, 0);
  facts.memory = Bytes{386 * mebibyte};
  facts.needs = {
      {0, Bytes{382 * mebibyte}}, {6, Bytes{362 * mebibyte}}, {7, Bytes{382 * mebibyte}}};
  facts.fits = {{7, true}, {8, false}};
  EXPECT_EQ(wanted_runs(facts), (std::vector<WantedRun>{{9, RunLimit::memory_of_gpu}}));
}

TEST(LargestValue, programs_without_history_are_bisected) {
  for (std::size_t fitting = 0; fitting <= 40; ++fitting) {
    SearchFacts facts = facts_of(40, fitting);
    std::size_t runs = 0;
    for (auto wanted = wanted_runs(facts); !wanted.empty() && runs < 100;
         wanted = wanted_runs(facts), ++runs) {
      if (wanted[0].limit == RunLimit::none)
        facts.runs_without_need.insert(wanted[0].index);
      else
        facts.fits[wanted[0].index] = wanted[0].index < fitting;
    }
    EXPECT_LE(runs, 18U);
    EXPECT_EQ(largest_value(facts).fits, fitting == 0 ? std::nullopt : std::optional(fitting - 1));
  }
}

/// A random curve that never falls: a line, a parabola, steps, and noise of a granule.
Need rising_curve(std::mt19937& random) {
  const auto pick = [&](std::uint64_t below) { return random() % below; };
  const std::uint64_t constant = pick(4000), slope = 1 + pick(60), bend = pick(2) * pick(3);
  const std::uint64_t step = 1 + pick(64), height = pick(2) * pick(500), granule = 1 + pick(40);
  return [=](double value) {
    const auto number = static_cast<std::uint64_t>(value);
    const std::uint64_t exact =
        constant + slope * number + bend * number * number + height * (number / step);
    return exact / granule * granule;
  };
}

TEST(LargestValue, answer_is_that_of_every_value_tried_for_rising_curves) {
  std::mt19937 random(20261126);
  std::size_t runs = 0;
  constexpr std::size_t rounds = 3000;
  for (std::size_t round = 0; round < rounds; ++round) {
    const Need need = rising_curve(random);
    const std::size_t count = 1 + random() % 512;
    const MadeSearch made = search(facts_of(count, random() % 40'000), need, 1 + random() % 3);
    ASSERT_EQ(largest_value(made.facts).fits, largest_of_all(made.facts, need)) << round;
    expect_proof(made.facts, need);
    ASSERT_LE(made.runs, 24U) << round;
    runs += made.runs;
  }
  EXPECT_LE(runs, 7 * rounds);
}

TEST(LargestValue, answer_is_proven_for_any_curve) {
  std::mt19937 random(33);
  for (std::size_t round = 0; round < 2000; ++round) {
    const std::size_t count = 1 + random() % 200;
    std::vector<std::uint64_t> needs(count + 1);
    for (std::size_t i = 0; i <= count; ++i) needs[i] = 50 * i + random() % 3000;
    const Need need = [&](double value) { return needs[static_cast<std::size_t>(value)]; };
    const MadeSearch made = search(facts_of(count, random() % 9000), need, 1 + random() % 3);
    expect_proof(made.facts, need);
    ASSERT_LE(made.runs, 40U) << round;
  }
}

TEST(GuessedLargest, follows_the_curve_of_runs_without_a_limit) {
  SearchFacts facts = facts_of(20, 100);
  EXPECT_EQ(guessed_largest(facts), std::nullopt);
  facts.needs = {{0, Bytes{20 * unit}}};
  EXPECT_EQ(guessed_largest(facts), 0U) << "one run says nothing of others";
  facts.needs[4] = Bytes{60 * unit};
  EXPECT_EQ(guessed_largest(facts), 8U);
  facts.memory = Bytes{10};
  EXPECT_EQ(guessed_largest(facts), std::nullopt);
}

}  // namespace
}  // namespace vramlab::replay
