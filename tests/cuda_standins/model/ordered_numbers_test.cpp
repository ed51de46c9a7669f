#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "tools/cuda_standins/model/ordered_numbers.h"

namespace vramlab::dry_run {
namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

template <typename Number>
struct Sorted {
  std::vector<Number> numbers;
  std::vector<std::int64_t> places;
};

template <typename Number>
Sorted<Number> sorted(NumberKind kind, const std::vector<Number>& numbers, SortOrder order,
                      std::uint64_t rows = 1) {
  Sorted<Number> result{std::vector<Number>(numbers.size()),
                        std::vector<std::int64_t>(numbers.size())};
  sort_rows({kind, numbers.data(), rows, numbers.size() / rows}, order, result.numbers.data(),
            result.places.data());
  return result;
}

/// The places of the same numbers, put in order by comparing.
template <typename Number>
std::vector<std::int64_t> compared(const std::vector<Number>& numbers, SortOrder order) {
  std::vector<std::int64_t> places(numbers.size());
  std::iota(places.begin(), places.end(), 0);
  std::stable_sort(places.begin(), places.end(), [&](std::int64_t left, std::int64_t right) {
    return order == SortOrder::ascending ? numbers[left] < numbers[right]
                                         : numbers[left] > numbers[right];
  });
  return places;
}

template <typename Number>
void expect_as_compared(NumberKind kind) {
  std::mt19937_64 random(sizeof(Number));
  for (const std::uint64_t most : {3U, 1'000U, 0U})
    for (const std::size_t count : {1U, 63U, 64U, 1'000U})
      for (const SortOrder order : {SortOrder::ascending, SortOrder::descending}) {
        std::vector<Number> numbers(count);
        for (Number& number : numbers)
          number = static_cast<Number>(most == 0 ? random() : random() % most);
        const Sorted<Number> result = sorted(kind, numbers, order);
        const auto places = compared(numbers, order);
        EXPECT_EQ(result.places, places) << "of " << count << " up to " << most;
        for (std::size_t place = 0; place < count; ++place)
          EXPECT_EQ(result.numbers[place], numbers[static_cast<std::size_t>(places[place])]);
      }
}

TEST(OrderedNumbers, numbers_of_each_type_are_in_the_order_of_comparing) {
  expect_as_compared<std::int8_t>(NumberKind::int8);
  expect_as_compared<std::uint8_t>(NumberKind::uint8);
  expect_as_compared<std::int16_t>(NumberKind::int16);
  expect_as_compared<std::int32_t>(NumberKind::int32);
  expect_as_compared<std::int64_t>(NumberKind::int64);
  expect_as_compared<float>(NumberKind::float32);
  expect_as_compared<double>(NumberKind::float64);
}

TEST(OrderedNumbers, what_is_no_number_is_above_all_and_zeros_of_both_signs_are_equal) {
  const std::vector<double> few = {infinity, no_number, 0.0, -0.0, -infinity, -no_number, 2, -2};
  EXPECT_EQ(sorted(NumberKind::float64, few, SortOrder::ascending).places,
            (std::vector<std::int64_t>{4, 7, 2, 3, 6, 0, 1, 5}));
  EXPECT_EQ(sorted(NumberKind::float64, few, SortOrder::descending).places,
            (std::vector<std::int64_t>{1, 5, 0, 6, 2, 3, 7, 4}));
  std::vector<double> many;
  for (int times = 0; times < 8; ++times) many.insert(many.end(), few.begin(), few.end());
  const Sorted<double> result = sorted(NumberKind::float64, many, SortOrder::ascending);
  EXPECT_EQ(result.numbers.front(), -infinity);
  EXPECT_TRUE(std::isnan(result.numbers[48]) && !std::isnan(result.numbers[47]));
  EXPECT_EQ(result.places[48], 1) << "the first that is no number";
  EXPECT_EQ(result.places[16], 2) << "the first zero";
}

TEST(OrderedNumbers, each_row_has_an_order_of_its_own) {
  const std::vector<std::int32_t> rows = {3, 1, 2, 1, 0, 7};
  const auto result = sorted(NumberKind::int32, rows, SortOrder::ascending, 2);
  EXPECT_EQ(result.numbers, (std::vector<std::int32_t>{1, 2, 3, 0, 1, 7}));
  EXPECT_EQ(result.places, (std::vector<std::int64_t>{1, 2, 0, 1, 0, 2}));
}

TEST(OrderedNumbers, unique_numbers_have_their_places_and_counts) {
  const std::vector<std::int16_t> numbers = {5, -1, 5, 3, -1, 5};
  std::vector<std::int16_t> unique(numbers.size());
  std::vector<std::int64_t> places(numbers.size()), counts(numbers.size());
  const NumberRows row{NumberKind::int16, numbers.data(), 1, numbers.size()};
  ASSERT_EQ(find_unique(row, {unique.data(), places.data(), counts.data()}), 3U);
  unique.resize(3), counts.resize(3);
  EXPECT_EQ(unique, (std::vector<std::int16_t>{-1, 3, 5}));
  EXPECT_EQ(places, (std::vector<std::int64_t>{2, 0, 2, 1, 0, 2}));
  EXPECT_EQ(counts, (std::vector<std::int64_t>{2, 1, 3}));
  EXPECT_EQ(find_unique(row, {unique.data(), nullptr, nullptr}), 3U) << "nothing but the numbers";
}

TEST(OrderedNumbers, what_is_no_number_is_unique_each_time_and_zeros_are_one) {
  const float none = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> numbers = {none, -0.0F, 0.0F, none, -0.0F};
  std::vector<float> unique(numbers.size());
  std::vector<std::int64_t> places(numbers.size()), counts(numbers.size());
  const NumberRows row{NumberKind::float32, numbers.data(), 1, numbers.size()};
  ASSERT_EQ(find_unique(row, {unique.data(), places.data(), counts.data()}), 3U);
  EXPECT_TRUE(std::signbit(unique[0])) << "the first of them";
  EXPECT_TRUE(std::isnan(unique[1]) && std::isnan(unique[2]));
  EXPECT_EQ(places, (std::vector<std::int64_t>{1, 0, 0, 2, 0}));
  counts.resize(3);
  EXPECT_EQ(counts, (std::vector<std::int64_t>{3, 1, 1}));
  const NumberRows rows{NumberKind::float32, numbers.data(), 1, 2};
  EXPECT_EQ(find_unique_rows(rows, {unique.data(), nullptr, nullptr}), 0U) << "no integers";
}

struct UniqueRows {
  std::vector<std::int32_t> numbers;
  std::vector<std::int64_t> places;
  std::vector<std::int64_t> counts;

  bool operator==(const UniqueRows&) const = default;
};

/// By comparing each row with all others.
UniqueRows compared_rows(const std::vector<std::int32_t>& numbers, std::size_t columns) {
  using Row = std::vector<std::int32_t>;
  std::map<Row, std::int64_t> counts;
  std::vector<Row> rows;
  for (auto at = numbers.begin(); at != numbers.end(); at += static_cast<std::ptrdiff_t>(columns))
    ++counts[rows.emplace_back(at, at + static_cast<std::ptrdiff_t>(columns))];
  UniqueRows result;
  for (const auto& [row, count] : counts) {
    result.numbers.insert(result.numbers.end(), row.begin(), row.end());
    result.counts.push_back(count);
  }
  for (const Row& row : rows)
    result.places.push_back(std::distance(counts.begin(), counts.find(row)));
  return result;
}

TEST(OrderedNumbers, unique_rows_are_in_the_order_of_their_first_numbers) {
  std::mt19937_64 random(1);
  for (const std::size_t columns : {1U, 2U, 5U})
    for (const std::size_t count : {1U, 9U, 500U}) {
      std::vector<std::int32_t> numbers(count * columns);
      for (std::int32_t& number : numbers) number = static_cast<std::int32_t>(random() % 3) - 1;
      UniqueRows result{std::vector<std::int32_t>(numbers.size()), std::vector<std::int64_t>(count),
                        std::vector<std::int64_t>(count)};
      const NumberRows rows{NumberKind::int32, numbers.data(), count, columns};
      const std::uint64_t found = find_unique_rows(
          rows, {result.numbers.data(), result.places.data(), result.counts.data()});
      result.numbers.resize(found * columns), result.counts.resize(found);
      EXPECT_EQ(result, compared_rows(numbers, columns)) << count << " rows of " << columns;
    }
}

TEST(OrderedNumbers, rows_are_in_order_whether_their_columns_fit_into_one_number_or_not) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  const std::vector<std::int64_t> numbers = {7, most, 1, 7, least, 0, 7, most, 0, 7, most, 1};
  std::vector<std::int64_t> unique(numbers.size()), places(4), counts(4);
  const NumberRows rows{NumberKind::int64, numbers.data(), 4, 3};
  ASSERT_EQ(find_unique_rows(rows, {unique.data(), places.data(), counts.data()}), 3U);
  unique.resize(9), counts.resize(3);
  EXPECT_EQ(unique, (std::vector<std::int64_t>{7, least, 0, 7, most, 0, 7, most, 1}));
  EXPECT_EQ(places, (std::vector<std::int64_t>{2, 0, 1, 2}));
  EXPECT_EQ(counts, (std::vector<std::int64_t>{1, 1, 2}));
}

TEST(OrderedNumbers, places_are_repeated_as_often_as_their_counts_say) {
  const std::vector<std::int32_t> counts = {2, 0, 3}, negative = {2, -1};
  std::vector<std::int32_t> places(5);
  EXPECT_EQ(repeat(NumberKind::int32, counts.data(), 3, nullptr), 5U);
  EXPECT_EQ(repeat(NumberKind::int32, counts.data(), 3, places.data()), 5U);
  EXPECT_EQ(places, (std::vector<std::int32_t>{0, 0, 2, 2, 2}));
  EXPECT_EQ(repeat(NumberKind::int32, negative.data(), 2, nullptr), std::nullopt);
  const double half = 0.5;
  EXPECT_EQ(repeat(NumberKind::float64, &half, 1, nullptr), std::nullopt) << "no count";
}

TEST(OrderedNumbers, pieces_of_any_size_are_repeated) {
  const std::vector<std::int64_t> counts = {2, 0, 1}, negative = {1, -1, 0};
  for (const std::uint64_t bytes : {1U, 3U, 8U}) {
    std::vector<char> pieces(bytes * 3), repeated(bytes * 3), expected;
    std::iota(pieces.begin(), pieces.end(), 0);
    for (const std::uint64_t place : {0U, 0U, 2U})
      expected.insert(expected.end(), pieces.begin() + static_cast<std::ptrdiff_t>(place * bytes),
                      pieces.begin() + static_cast<std::ptrdiff_t>((place + 1) * bytes));
    EXPECT_EQ(
        repeat_pieces(NumberKind::int64, counts.data(), 3, pieces.data(), bytes, repeated.data()),
        3U);
    EXPECT_EQ(repeated, expected) << "of " << bytes << " bytes";
    EXPECT_EQ(
        repeat_pieces(NumberKind::int64, negative.data(), 3, pieces.data(), bytes, repeated.data()),
        std::nullopt);
  }
}

TEST(OrderedNumbers, each_piece_is_there_as_many_times) {
  const std::string pieces = "abcdef";
  std::string tiled(12, '-');
  tile(pieces.data(), 2, 3, 2, tiled.data());
  EXPECT_EQ(tiled, "abcabcdefdef");
  tile(pieces.data(), 2, 3, 0, tiled.data());
  EXPECT_EQ(tiled, "abcabcdefdef") << "nothing is written for none";
}

TEST(OrderedNumbers, places_are_marked_in_rows_of_classes) {
  const std::vector<std::int64_t> places = {2, 0}, negative = {0, -1};
  EXPECT_EQ(count_classes(NumberKind::int64, places.data(), 2), 3U);
  EXPECT_EQ(count_classes(NumberKind::int64, negative.data(), 2), std::nullopt);
  EXPECT_EQ(count_classes(NumberKind::int64, places.data(), 0), std::nullopt);
  std::vector<std::int64_t> marks(6, 9);
  EXPECT_TRUE(mark(NumberKind::int64, places.data(), 2, 3, marks.data()));
  EXPECT_EQ(marks, (std::vector<std::int64_t>{0, 0, 1, 1, 0, 0}));
  EXPECT_FALSE(mark(NumberKind::int64, places.data(), 2, 2, marks.data())) << "too few classes";
  EXPECT_FALSE(mark(NumberKind::int64, negative.data(), 2, 3, marks.data()));
}

TEST(OrderedNumbers, integers_are_counted_in_bins_between_limits) {
  const std::vector<std::int32_t> numbers = {-5, 2, 3, 4, 9};
  const NumberRows row{NumberKind::int32, numbers.data(), 1, numbers.size()};
  std::vector<std::int32_t> counts(3, 7);
  EXPECT_TRUE(count_in_bins(row, {-5, 4}, 3, counts.data()));
  EXPECT_EQ(counts, (std::vector<std::int32_t>{1, 0, 3})) << "9 is above the limits";
  EXPECT_TRUE(count_in_bins(row, {0, 0}, 2, counts.data())) << "from -5 to 9";
  EXPECT_EQ((std::vector<std::int32_t>{counts[0], counts[1]}), (std::vector<std::int32_t>{1, 4}));
  EXPECT_FALSE(count_in_bins(row, {4, 2}, 3, counts.data()));
  EXPECT_FALSE(count_in_bins({NumberKind::int32, numbers.data(), 1, 1}, {0, 0}, 3, counts.data()))
      << "a single number has no range";
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  EXPECT_FALSE(count_in_bins(row, {-most, most}, 3, counts.data())) << "too wide";
  EXPECT_FALSE(
      count_in_bins({NumberKind::float32, numbers.data(), 1, 5}, {0, 4}, 3, counts.data()));
}

std::vector<std::int64_t> drawn(const std::vector<float>* numbers, std::uint64_t rows,
                                std::uint64_t first, std::uint64_t draws) {
  std::vector<std::int64_t> places(rows * draws, -1);
  const void* const at = numbers == nullptr ? nullptr : numbers->data();
  draw({NumberKind::float32, at, rows, 4}, first, draws, places.data());
  return places;
}

TEST(OrderedNumbers, possible_places_are_drawn_one_after_the_other) {
  const std::vector<float> weights = {0, 0.5F, 0, 2, 1, 1, 1, static_cast<float>(no_number)};
  EXPECT_EQ(drawn(&weights, 2, 0, 1), (std::vector<std::int64_t>{1, 1}));
  EXPECT_EQ(drawn(&weights, 2, 3, 2), (std::vector<std::int64_t>{3, 1, 1, 2}));
  EXPECT_EQ(drawn(&weights, 2, 1, 4), (std::vector<std::int64_t>{3, 1, 0, 2, 2, 0, 1, 3}))
      << "others follow";
  const std::vector<float> none(4, 0.0F);
  EXPECT_EQ(drawn(&none, 1, 5, 2), (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(drawn(nullptr, 2, 3, 2), (std::vector<std::int64_t>{3, 0, 0, 1})) << "all are possible";
}

TEST(OrderedNumbers, a_mask_picks_pieces_of_any_size) {
  const std::vector<std::uint8_t> mask = {1, 0, 0, 2, 1};
  for (const std::uint64_t bytes : {1U, 3U, 4U, 8U, 24U}) {
    std::vector<char> pieces(bytes * mask.size()), picked(bytes * 3), expected;
    std::iota(pieces.begin(), pieces.end(), 0);
    for (const std::uint64_t place : {0U, 3U, 4U})
      expected.insert(expected.end(), pieces.begin() + static_cast<std::ptrdiff_t>(place * bytes),
                      pieces.begin() + static_cast<std::ptrdiff_t>((place + 1) * bytes));
    EXPECT_EQ(pick(mask.data(), mask.size(), nullptr, bytes, nullptr), 3U);
    EXPECT_EQ(pick(mask.data(), mask.size(), pieces.data(), bytes, picked.data()), 3U);
    EXPECT_EQ(picked, expected) << "of " << bytes << " bytes";
  }
}

TEST(OrderedNumbers, letters_of_other_types_are_none) {
  EXPECT_EQ(number_kind('q'), NumberKind::int64);
  EXPECT_EQ(number_kind('e'), std::nullopt) << "half precision";
  EXPECT_EQ(number_kind(0), std::nullopt);
}

}  // namespace
}  // namespace vramlab::dry_run
