// Whether requests come from threads that the program started.
#include <gtest/gtest.h>

#include "replay/recording/recorded_history.h"

namespace vramlab::replay {
namespace {

class RecordedThreads : public testing::Test {
 protected:
  void request_from(std::string_view function, std::string_view file) {
    traces::FrameValue frame;
    frame.name = tables_.texts.intern(function);
    frame.filename = tables_.texts.intern(file);
    const traces::FrameId id = tables_.frames.intern(frame);
    history_.events.push_back({allocator::Action::alloc, {}, {512}, {}, {}, 0});
    history_.stacks.push_back(tables_.stacks.intern(std::vector{id}));
  }

  traces::SnapshotTables tables_;
  DeviceHistory history_;
};

TEST_F(RecordedThreads, are_told_by_stacks_that_begin_in_python_s_threading) {
  request_from("_bootstrap", "/usr/lib/python3.11/threading.py");
  EXPECT_TRUE(has_threads(history_, tables_));
}

TEST_F(RecordedThreads, are_none_where_the_main_program_asks) {
  request_from("<module>", "/home/me/threading.py");
  request_from("_bootstrap", "/home/me/train.py");
  EXPECT_FALSE(has_threads(history_, tables_));
}

TEST_F(RecordedThreads, are_none_where_there_are_no_stacks) {
  history_.events.push_back({allocator::Action::alloc, {}, {512}, {}, {}, 0});
  EXPECT_FALSE(has_threads(history_, tables_));
}

}  // namespace
}  // namespace vramlab::replay
