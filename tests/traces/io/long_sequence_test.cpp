#include "traces/io/long_sequence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <numeric>

#include "tests/support/kit/own_folder.h"
#include "tests/support/kit/random_numbers.h"
#include "traces/io/input_error.h"

namespace vramlab::traces {
namespace {

using Numbers = LongSequence<std::uint64_t>;

/// A chunk has 8 records, and 16 at most are in memory before any goes to a file.
ScratchPlace small_place() {
  return {.folder = support::own_folder(), .most_bytes_in_memory = 128, .chunk_bytes = 64};
}

Numbers numbers(std::size_t count, const ScratchPlace& place = small_place()) {
  Numbers sequence(place);
  for (std::size_t i = 0; i < count; ++i) sequence.push_back(i * i);
  return sequence;
}

std::vector<std::uint64_t> expected(std::size_t count) {
  std::vector<std::uint64_t> squares(count);
  for (std::size_t i = 0; i < count; ++i) squares[i] = i * i;
  return squares;
}

TEST(LongSequences, hold_what_was_added_whatever_their_length) {
  for (std::size_t count = 0; count < 100; ++count) {
    SCOPED_TRACE(count);
    const Numbers sequence = numbers(count);
    EXPECT_EQ(sequence.size(), count);
    EXPECT_EQ(sequence.to_vector(), expected(count));
    EXPECT_EQ(sequence, Numbers(expected(count)));
  }
}

TEST(LongSequences, are_read_in_any_order) {
  const Numbers sequence = numbers(1000);
  tests::RandomNumbers random(1);
  for (int i = 0; i < 5000; ++i) {
    const std::uint64_t at = random.below(1000);
    EXPECT_EQ(sequence[at], at * at);
  }
  for (std::size_t i = 1000; i-- > 0;) EXPECT_EQ(sequence[i], i * i);
}

TEST(LongSequences, leave_others_of_the_same_history_no_memory_once_they_are_in_a_file) {
  EXPECT_EQ(numbers(8).place().most_bytes_in_memory, 128U);
  const Numbers in_file = numbers(100);
  EXPECT_EQ(in_file.place().most_bytes_in_memory, 64U);
  EXPECT_EQ(numbers(100, in_file.place()), in_file);
}

TEST(LongSequences, are_read_while_they_grow) {
  Numbers sequence(small_place());
  for (std::size_t i = 0; i < 500; ++i) {
    sequence.push_back(i * i);
    EXPECT_EQ(sequence.front(), 0U);
    EXPECT_EQ(sequence.back(), i * i);
    EXPECT_EQ(sequence[i / 2], (i / 2) * (i / 2));
  }
}

TEST(LongSequences, keep_a_few_chunks_in_memory_however_long_they_are) {
  for (const std::size_t count : {1'000U, 100'000U}) {
    const Numbers sequence = numbers(count);
    std::uint64_t sum = 0;
    for (const std::uint64_t number : sequence) sum += number % 7;
    EXPECT_GT(sum, 0U);
    EXPECT_LE(sequence.records_in_memory(), 5U * 8U);
  }
}

TEST(LongSequences, stay_in_memory_where_they_are_short_or_have_no_place) {
  EXPECT_EQ(
      numbers(16, {.folder = "/nowhere/at/all", .most_bytes_in_memory = 128, .chunk_bytes = 64})
          .records_in_memory(),
      16U);
  EXPECT_EQ(numbers(10'000, {}).records_in_memory(), 10'000U);
}

TEST(LongSequences, are_read_by_several_readers_each_at_another_place) {
  for (const std::size_t count : {0U, 10U, 1000U, 1003U}) {
    const Numbers sequence = numbers(count);
    SequenceReader<std::uint64_t> forwards(sequence);
    SequenceReader<std::uint64_t> backwards(sequence);
    ASSERT_EQ(forwards.size(), count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t other = count - 1 - i;
      EXPECT_EQ(forwards[i], i * i);
      EXPECT_EQ(backwards[other], other * other);
    }
  }
}

TEST(LongSequences, are_copied_and_moved) {
  Numbers sequence = numbers(200);
  const Numbers copy = sequence;
  Numbers moved = std::move(sequence);
  moved.push_back(7);
  EXPECT_EQ(copy.to_vector(), expected(200));
  EXPECT_EQ(moved.size(), 201U);
  EXPECT_EQ(moved.back(), 7U);
  moved = copy;
  EXPECT_EQ(moved, copy);
  moved = {3, 1};
  EXPECT_EQ(moved.to_vector(), (std::vector<std::uint64_t>{3, 1}));
}

TEST(LongSequences, are_ranges_for_algorithms) {
  const Numbers sequence = numbers(300);
  EXPECT_EQ(*std::ranges::upper_bound(sequence, 2500U), 51U * 51U);
  EXPECT_EQ(std::ranges::find(sequence, 49U) - sequence.begin(), 7);
  EXPECT_EQ(std::ranges::count_if(sequence, [](std::uint64_t one) { return one < 100; }), 10);
  EXPECT_EQ(std::accumulate(sequence.begin(), sequence.begin() + 4, std::uint64_t{0}), 14U);
}

class ScratchFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    folder = support::own_folder() + "scratch_files";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directory(folder);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::string folder;
};

TEST_F(ScratchFiles, give_back_what_was_written_anywhere) {
  ScratchFile file(folder);
  const std::array<std::byte, 4> first = {std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
  const std::array<std::byte, 2> second = {std::byte{5}, std::byte{6}};
  file.append(first);
  file.append(second);
  std::array<std::byte, 3> read{};
  file.read(2, read);
  EXPECT_EQ(read, (std::array{std::byte{3}, std::byte{4}, std::byte{5}}));
  file.read(0, read);
  EXPECT_EQ(read, (std::array{std::byte{1}, std::byte{2}, std::byte{3}}));
}

TEST_F(ScratchFiles, have_no_name_even_while_they_are_used) {
  ScratchFile file(folder);
  file.append(std::array<std::byte, 1>{std::byte{1}});
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST_F(ScratchFiles, in_a_folder_that_there_is_not_are_refused) {
  try {
    const ScratchFile file(folder + "/nothing");
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("TMPDIR"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("/nothing"));
  }
}

}  // namespace
}  // namespace vramlab::traces
