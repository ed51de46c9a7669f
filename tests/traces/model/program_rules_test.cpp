// The rules that generated programs are held against can be broken: each of these programs breaks a
// rule.
#include "tests/support/recordings/program_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vramlab::traces {
namespace {

using support::ProgramRules;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class RulesOfPrograms : public testing::Test {
 protected:
  void SetUp() override {
    TraceHeader header;
    header.origin = "workload made by hand";
    header.devices.push_back({{}, {1 << 20}, ""});
    rules_.header(header);
    FrameValue frame;
    frame.name = tables_.texts.intern("main");
    const FrameId frames[] = {tables_.frames.intern(frame)};
    stack_ = tables_.stacks.intern(frames);
  }
  ProgramEvent of(ProgramEventKind kind) {
    ProgramEvent event;
    event.kind = kind;
    event.time_ns = ++time_ns_;
    event.stack = stack_;
    event.bytes = {512};
    event.duration_ns = 1;
    return event;
  }
  void add(ProgramEventKind kind, std::uint64_t id = 1) {
    ProgramEvent event = of(kind);
    event.id = id;
    rules_.program_event(event);
  }
  void add_text(ProgramEventKind kind, const std::string& text) {
    ProgramEvent event = of(kind);
    event.text = tables_.texts.intern(text);
    rules_.program_event(event);
  }
  void expect_broken(const std::string& rule) {
    rules_.finish();
    EXPECT_THAT(rules_.broken(), ElementsAre(HasSubstr(rule)));
  }

  SnapshotTables tables_;
  ProgramRules rules_{tables_};
  StackId stack_;
  std::uint64_t time_ns_ = 0;
};

using Kind = ProgramEventKind;

TEST_F(RulesOfPrograms, hold_for_a_program_that_keeps_them) {
  add_text(Kind::range_begin, "step 1");
  for (const Kind kind :
       {Kind::malloc, Kind::use, Kind::free, Kind::event_record, Kind::event_wait, Kind::pool_begin,
        Kind::capture_begin, Kind::work, Kind::capture_end, Kind::pool_end, Kind::pool_release})
    add(kind);
  add_text(Kind::range_end, "step 1");
  rules_.finish();
  EXPECT_THAT(rules_.broken(), IsEmpty());
  EXPECT_EQ(rules_.live_bytes(), 0U);
  EXPECT_EQ(rules_.peak_bytes(), 512U);
}

TEST_F(RulesOfPrograms, a_free_of_nothing_is_found) {
  add(Kind::free);
  expect_broken("event 0: the id names nothing that lives");
}

TEST_F(RulesOfPrograms, a_second_free_is_found) {
  for (const Kind kind : {Kind::malloc, Kind::free, Kind::free}) add(kind);
  expect_broken("event 2: the id names nothing that lives");
}

TEST_F(RulesOfPrograms, a_use_after_the_free_is_found) {
  for (const Kind kind : {Kind::malloc, Kind::free, Kind::use}) add(kind);
  expect_broken("names nothing that lives");
}

TEST_F(RulesOfPrograms, an_id_that_is_given_twice_is_found) {
  add(Kind::malloc);
  add(Kind::malloc);
  expect_broken("names another one already");
}

TEST_F(RulesOfPrograms, a_wait_for_what_was_not_recorded_is_found) {
  add(Kind::event_wait);
  expect_broken("never recorded");
}

TEST_F(RulesOfPrograms, time_that_goes_back_is_found) {
  add(Kind::work);
  time_ns_ = 0;
  ProgramEvent event = of(Kind::work);
  event.time_ns = 0;
  rules_.program_event(event);
  expect_broken("time goes back");
}

TEST_F(RulesOfPrograms, an_event_without_a_place_is_found) {
  stack_ = {};
  add(Kind::work);
  expect_broken("no call stack");
}

TEST_F(RulesOfPrograms, ranges_that_cross_are_found) {
  add_text(Kind::range_begin, "outer");
  add_text(Kind::range_begin, "inner");
  add_text(Kind::range_end, "outer");
  add_text(Kind::range_end, "outer");
  expect_broken("another range ends");
}

TEST_F(RulesOfPrograms, what_is_begun_and_not_ended_is_found) {
  add(Kind::capture_begin);
  expect_broken("a capture is never ended");
}

TEST_F(RulesOfPrograms, a_pool_that_nobody_releases_is_found) {
  add(Kind::pool_begin);
  add(Kind::pool_end);
  expect_broken("a pool is never released");
}

}  // namespace
}  // namespace vramlab::traces
