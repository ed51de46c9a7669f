// Facts that TimedStreams tells its watcher, and their order. The random programs prove that they
// can be trusted (tests/support/naive/stream_words.h).
#include "streams/stream_model/stream_watcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/devices/scripted_streams.h"

namespace vramlab::tests {
namespace {

using namespace streams;
using testing::ElementsAre;
using testing::IsEmpty;

std::string name_of(StreamAt stream) {
  if (stream.stream == destroyed_blocking_streams) return "destroyed";
  return "s" + std::to_string(stream.stream.value);
}

class WatcherWords : public testing::Test, private StreamWatcher {
 protected:
  WatcherWords() {
    static_cast<void>(timed_.begin_call({0}, Time{}));
    timed_.create_stream(first, blocking);
    timed_.create_stream(second, non_blocking);
    timed_.create_event({1}, 0, true);
    words_.clear();
  }
  std::vector<std::string> words_;
  TimedStreams timed_{{}, *this};

 private:
  void stream_created(StreamAt stream, StreamKind) override {
    words_.push_back("made " + name_of(stream));
  }
  void issued(const IssuedItem& item) override {
    words_.push_back("issued " + std::to_string(item.tag) + " on " + name_of(item.stream));
  }
  void ended(const EndedItem& item) override {
    words_.push_back("ended " + std::to_string(item.tag));
  }
  void stream_follows(StreamAt stream, StreamAt before) override {
    words_.push_back(name_of(stream) + " follows " + name_of(before));
  }
  void event_recorded(allocator::EventId event, StreamAt stream) override {
    words_.push_back("e" + std::to_string(event.value) + " recorded on " + name_of(stream));
  }
  void stream_follows_event(StreamAt stream, allocator::EventId event) override {
    words_.push_back(name_of(stream) + " follows e" + std::to_string(event.value));
  }
  void thread_follows_stream(ThreadId /*thread*/, StreamAt stream) override {
    words_.push_back("thread follows " + name_of(stream));
  }
  void thread_follows_event(ThreadId /*thread*/, allocator::EventId event) override {
    words_.push_back("thread follows e" + std::to_string(event.value));
  }
};

TEST_F(WatcherWords, what_an_item_follows_is_said_before_the_item) {
  timed_.submit(first, kernel(5, 1));
  timed_.submit(legacy, kernel(5, 2));
  timed_.submit(first, kernel(5, 3));
  EXPECT_THAT(words_, ElementsAre("issued 1 on s1", "s0 follows s1", "issued 2 on s0",
                                  "s1 follows s0", "issued 3 on s1"));
}

TEST_F(WatcherWords, a_record_is_said_after_its_item_and_before_its_end) {
  timed_.record_event({1}, second, 4);
  EXPECT_THAT(words_, ElementsAre("issued 4 on s2", "e1 recorded on s2", "ended 4"));
}

TEST_F(WatcherWords, only_what_is_waited_for_is_followed) {
  timed_.wait_for_event(second, {1}, 1);
  timed_.query_event({1});
  timed_.synchronize_event({1});
  EXPECT_THAT(words_, IsEmpty());
}

TEST_F(WatcherWords, a_stream_that_was_asked_in_vain_is_not_followed) {
  timed_.submit(first, kernel(5, 1));
  words_.clear();
  EXPECT_EQ(timed_.query_stream(first), CudaStatus::not_ready);
  EXPECT_THAT(words_, IsEmpty());
  timed_.synchronize_stream(first);
  EXPECT_THAT(words_, ElementsAre("thread follows s1"));
}

TEST_F(WatcherWords, a_name_that_comes_again_is_said_to_be_another_stream) {
  timed_.submit(first, kernel(5, 1));
  words_.clear();
  timed_.destroy_stream(first);
  timed_.create_stream(first, non_blocking);
  EXPECT_THAT(words_, ElementsAre("destroyed follows s1", "made s1"));
}

}  // namespace
}  // namespace vramlab::tests
