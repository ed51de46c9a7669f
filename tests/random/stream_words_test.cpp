// The check of the facts that a watcher hears can say no: wrong and missing facts are found.
#include "tests/support/naive/stream_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/devices/scripted_streams.h"

namespace vramlab::tests {
namespace {

using namespace streams;
using testing::HasSubstr;
using testing::Optional;

/// Two kernels, on the streams given: 10 ns from 0 and from where the second follows.
class WordsUnderCheck : public testing::Test {
 protected:
  void run(StreamAt earlier, StreamAt later) {
    naive_.begin_call({0}, Time{});
    for (const StreamAt stream : {stream_number(1), stream_number(2)})
      naive_.create_stream(stream, non_blocking);
    naive_.submit(earlier, kernel(10, 1));
    naive_.submit(later, kernel(10, 2));
    naive_.finish();
  }
  void hear_of(std::uint64_t number, StreamAt stream) {
    IssuedItem item;
    item.number = number;
    item.stream = stream;
    words_.issued(item);
  }

  NaiveStreams naive_{StreamModel{}};
  StreamWords words_;
};

TEST_F(WordsUnderCheck, true_words_pass) {
  run(stream_number(1), stream_number(1));
  hear_of(1, stream_number(1));
  hear_of(2, stream_number(1));
  EXPECT_EQ(words_.first_fault(naive_.items()), std::nullopt);
}

TEST_F(WordsUnderCheck, a_word_that_is_missing_is_found) {
  run(stream_number(1), stream_number(1));
  hear_of(1, stream_number(1));
  hear_of(2, stream_number(2));
  EXPECT_THAT(words_.first_fault(naive_.items()), Optional(HasSubstr("missing: item 2 after")));
}

TEST_F(WordsUnderCheck, a_word_that_is_wrong_is_found) {
  run(stream_number(1), stream_number(2));
  hear_of(1, stream_number(1));
  words_.stream_follows(stream_number(2), stream_number(1));
  hear_of(2, stream_number(2));
  EXPECT_THAT(words_.first_fault(naive_.items()), Optional(HasSubstr("wrong: item 2 after")));
}

}  // namespace
}  // namespace vramlab::tests
