// The place of each request in the iterations of a program.

#include <gtest/gtest.h>

#include "replay/call_sites/iterations.h"

namespace vramlab::replay {
namespace {

/// Iterations of four events: two requests, two frees.
class Positions : public ::testing::Test {
 protected:
  void add(MemoryEventKind kind, std::int64_t device = 0) {
    MemoryEvent event;
    event.kind = kind;
    event.device = device;
    event.number = numbers_[device]++;
    positions_.memory_event(event);
  }
  void iteration(std::int64_t device = 0) {
    for (const MemoryEventKind kind : {MemoryEventKind::allocated, MemoryEventKind::allocated,
                                       MemoryEventKind::freed, MemoryEventKind::freed})
      add(kind, device);
  }
  std::string text_of(std::uint64_t event, std::int64_t device = 0) const {
    const auto found = positions_.found().find({device, event});
    return found == positions_.found().end() ? "none" : position_text(found->second);
  }

  std::set<RequestName> asked_{{0, 0}, {0, 1}, {0, 4}, {0, 9}, {1, 5}, {0, 11}};
  IterationRule rule_{.source = IterationSource::every, .every = 4};
  traces::SnapshotTables tables_;
  RequestPositions positions_{asked_, rule_, tables_};
  std::map<std::int64_t, std::uint64_t> numbers_;
};

TEST_F(Positions, count_from_where_an_iteration_ended) {
  for (int i = 0; i < 3; ++i) iteration();
  EXPECT_EQ(text_of(0), "request 0 of the beginning");
  EXPECT_EQ(text_of(1), "request 1 of the beginning");
  EXPECT_EQ(text_of(4), "request 0 of an iteration");
  EXPECT_EQ(text_of(9), "request 1 of an iteration");
}

TEST_F(Positions, are_of_requests_that_were_asked_about_only) {
  for (int i = 0; i < 3; ++i) iteration();
  EXPECT_EQ(text_of(5), "none");
  // A free.
  EXPECT_EQ(text_of(11), "none");
}

TEST_F(Positions, count_for_each_device_by_itself) {
  iteration(0);
  iteration(1);
  iteration(1);
  EXPECT_EQ(text_of(5, 1), "request 1 of an iteration");
  EXPECT_EQ(text_of(4), "none");
}

TEST_F(Positions, without_iterations_count_from_the_beginning) {
  rule_ = {};
  for (int i = 0; i < 3; ++i) iteration();
  EXPECT_EQ(text_of(4), "request 2 of the beginning");
  EXPECT_EQ(text_of(9), "request 5 of the beginning");
}

}  // namespace

}  // namespace vramlab::replay
