// Lists of buffers, as google/minimalloc has them.
#include "traces/logs/buffer_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fuzz/buffer_list_fuzz_body.h"
#include "tests/support/kit/memory_source.h"
#include "tests/support/kit/random_numbers.h"
#include "traces/io/input_error.h"

namespace vramlab::tests {
namespace {

using traces::BufferRow;

std::vector<BufferRow> rows_of(const std::string& text) {
  const auto source = support::make_memory_source(text);
  return traces::read_buffer_list(*source, "list.csv");
}

std::string refusal_of(const std::string& text) {
  try {
    rows_of(text);
  } catch (const traces::InputError& error) {
    return error.what();
  }
  return "nothing";
}

TEST(BufferList, has_a_buffer_a_line) {
  const auto rows = rows_of("id,lower,upper,size\nb1,0,3,4\nb2,3,9,5\n\n");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].id, "b2");
  EXPECT_EQ(rows[1].lower, 3U);
  EXPECT_EQ(rows[1].upper, 9U);
  EXPECT_EQ(rows[1].size, 5U);
  EXPECT_EQ(rows[1].alignment, 1U);
}

TEST(BufferList, may_have_its_columns_in_any_order_and_under_other_names) {
  const auto rows = rows_of(
      "\xEF\xBB\xBFsize, start ,buffer_id,end,alignment,hint,offset\r\n 4, 1, x ,3,8,-1,16\r\n");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].id, "x");
  EXPECT_EQ(rows[0].lower, 1U);
  EXPECT_EQ(rows[0].upper, 4U);
  EXPECT_EQ(rows[0].alignment, 8U);
  EXPECT_EQ(rows[0].hint, std::nullopt);
  EXPECT_EQ(rows[0].offset, 16U);
}

TEST(BufferList, tells_of_gaps_and_what_is_needed_in_them) {
  const auto rows = rows_of("id,lower,upper,size,gaps\na,0,20,9,2-4 7-9@1:6\nb,0,1,1,\n");
  ASSERT_EQ(rows[0].gaps.size(), 2U);
  EXPECT_EQ(rows[0].gaps[0].lower, 2U);
  EXPECT_EQ(rows[0].gaps[0].upper, 4U);
  EXPECT_EQ(rows[0].gaps[0].needed_bytes, 0U);
  EXPECT_EQ(rows[0].gaps[1].needed_bytes, 5U);
  EXPECT_TRUE(rows[1].gaps.empty());
}

TEST(BufferList, is_told_by_its_first_line) {
  EXPECT_TRUE(traces::begins_like_buffer_list("id,lower,upper,size\n1,2"));
  EXPECT_TRUE(traces::begins_like_buffer_list("buffer_id,start,end,size,alignm"));
  EXPECT_FALSE(traces::begins_like_buffer_list("Thread,Time,Action,Pointer,Size,Stream\n"));
  EXPECT_FALSE(traces::begins_like_buffer_list("id\n"));
  EXPECT_FALSE(traces::begins_like_buffer_list(""));
  EXPECT_FALSE(traces::begins_like_buffer_list("{\"format\":\"vramlab-trace\"}"));
}

TEST(BufferList, that_is_wrong_is_refused_with_the_place) {
  const std::string head = "id,lower,upper,size\n";
  EXPECT_EQ(refusal_of(head + "a,0,3,4\nb,5,x,4\n"),
            "list.csv at byte 28 (line 3): expected a moment below 2^62, found 'x'");
  EXPECT_EQ(refusal_of(head + "a,0,3\n"),
            "list.csv at byte 20 (line 2): expected 4 values between commas, found '3'");
  EXPECT_EQ(refusal_of(head + "a,3,3,4\n"),
            "list.csv at byte 20 (line 2): expected a buffer that begins before it is over, found "
            "'from 3 to 3'");
  EXPECT_THAT(refusal_of("id,lower,size\n"), testing::HasSubstr("expected a column upper or end"));
  EXPECT_THAT(refusal_of("id,upper,size\n"), testing::HasSubstr("expected a column lower"));
  EXPECT_THAT(refusal_of("lower,upper,size\n"), testing::HasSubstr("expected a column id"));
  EXPECT_THAT(refusal_of("id,lower,upper\n"), testing::HasSubstr("expected a column size"));
  EXPECT_THAT(refusal_of("id,id,lower,upper\n"), testing::HasSubstr("expected each column once"));
  EXPECT_THAT(refusal_of("id,colour\n"), testing::HasSubstr("found 'colour'"));
  EXPECT_THAT(refusal_of(""), testing::HasSubstr("expected a line of names"));
  EXPECT_THAT(refusal_of(head + "a,0,3,-4\n"), testing::HasSubstr("found '-4'"));
  EXPECT_THAT(refusal_of(head + "a,0,3,99999999999999999999\n"), testing::HasSubstr("a size"));
  EXPECT_THAT(refusal_of(head + "a,0,3,4611686018427387903\na,0,3,4\n"),
              testing::HasSubstr("expected sizes that add up to less than 2^62"));
}

TEST(BufferList, with_wrong_gaps_is_refused) {
  const std::string head = "id,lower,upper,size,gaps,alignment\n";
  for (const char* gaps : {"1", "1-", "-1", "1-2-3", "1-2@", "1-2@3", "1-2@4:3", "1-2@0:9", "5-4",
                           "1-99", "3-4 1-2", "1-2@0:1@0:1", "a-b"})
    EXPECT_THAT(refusal_of(head + "a,0,9,8," + gaps + ",1\n"), testing::HasSubstr("gap")) << gaps;
  EXPECT_THAT(refusal_of(head + "a,0,9,8,,0\n"), testing::HasSubstr("alignment from 1"));
}

TEST(BufferList, of_random_bytes_is_refused_or_sensible) {
  const std::string start = "id,lower,upper,size,alignment,gaps\na,0,9,8,4,1-2@0:4\nb,2,5,3,1,\n";
  const std::string letters = "0123456789,-@: \n\r\tabend\xff" + std::string(1, '\0');
  for (std::uint64_t seed = 0; seed < 3'000; ++seed) {
    RandomNumbers random(seed);
    std::string text = start;
    for (std::uint64_t i = random.between(1, 6); i > 0; --i) {
      const std::size_t at = random.below(text.size());
      if (random.one_in(3))
        text.erase(at, random.between(1, 5));
      else if (random.one_in(2))
        text.insert(at, 1, random.pick(letters));
      else
        text[at] = random.pick(letters);
      if (text.empty()) text = "\n";
    }
    EXPECT_EQ(support::broken_rule_of_buffer_list(text), std::nullopt) << "seed " << seed;
  }
}

}  // namespace
}  // namespace vramlab::tests
