// Events that a log of addresses lacks, and the program that is made of it.
#include "traces/logs/address_program.h"

#include <gtest/gtest.h>

namespace vramlab::traces {
namespace {

using Kind = AddressEventKind;

class Told : public ProgramSink {
 public:
  explicit Told(const SnapshotTables& tables) : tables_(tables) {}
  void program_event(const ProgramEvent& event) override {
    text +=
        std::string(program_event_name(event.kind)) + " " +
        (has_text(event.kind) ? std::string(tables_.texts.text(event.text))
                              : std::to_string(event.id)) +
        (event.kind == ProgramEventKind::malloc ? ":" + std::to_string(event.bytes.count) : "") +
        (event.stream.value != 0 ? " on " + std::to_string(event.stream.value) : "") + " at " +
        std::to_string(*event.time_ns) + "\n";
  }
  std::string text;

 private:
  const SnapshotTables& tables_;
};

class LogOfAddresses : public testing::Test {
 protected:
  void event(Kind kind, std::uint64_t address, std::uint64_t bytes, std::uint64_t stream = 0) {
    log.add({kind, {0}, {address}, {bytes}, {stream}, ++time_ns});
  }
  std::string told() {
    SnapshotTables tables;
    Told sink(tables);
    facts = log.give_to(sink, tables);
    return sink.text;
  }
  AddressLog log;
  std::uint64_t time_ns = 0;
  LogFacts facts;
};

TEST_F(LogOfAddresses, an_empty_log_is_an_empty_program) {
  EXPECT_EQ(told(), "");
  EXPECT_EQ(facts, LogFacts{});
}

TEST_F(LogOfAddresses, an_address_that_is_used_again_gets_another_id) {
  event(Kind::allocate, 16, 5);
  event(Kind::free, 16, 5);
  event(Kind::allocate, 16, 6);
  EXPECT_EQ(told(), "malloc 1:5 at 1\nfree 1 at 2\nmalloc 2:6 at 3\n");
  EXPECT_EQ(facts, LogFacts{});
}

TEST_F(LogOfAddresses, memory_that_is_only_freed_was_there_before) {
  event(Kind::allocate, 16, 5);
  event(Kind::free, 32, 7, 9);
  event(Kind::free, 48, 8);
  EXPECT_EQ(told(),
            "malloc 1:7 on 9 at 1\nmalloc 2:8 at 1\nmalloc 3:5 at 1\nfree 1 at 2\nfree 2 at 3\n");
  EXPECT_EQ(facts.mallocs_before_begin, 2U);
}

TEST_F(LogOfAddresses, memory_that_is_freed_twice_is_freed_once) {
  event(Kind::allocate, 16, 5);
  event(Kind::free, 16, 5);
  event(Kind::free, 16, 5);
  EXPECT_EQ(told(), "malloc 1:5 at 1\nfree 1 at 2\n");
  EXPECT_EQ(facts.lone_frees, 1U);
}

TEST_F(LogOfAddresses, memory_that_is_allocated_twice_was_freed_in_between) {
  event(Kind::allocate, 16, 5);
  event(Kind::allocate, 16, 6);
  EXPECT_EQ(told(), "malloc 1:5 at 1\nfree 1 at 2\nmalloc 2:6 at 2\n");
  EXPECT_EQ(facts.assumed_frees, 1U);
}

TEST_F(LogOfAddresses, memory_that_is_freed_on_another_stream_was_used_there) {
  event(Kind::allocate, 16, 5, 1);
  event(Kind::free, 16, 5, 2);
  EXPECT_EQ(told(), "malloc 1:5 on 1 at 1\nuse 1 on 2 at 2\nfree 1 at 2\n");
}

TEST_F(LogOfAddresses, a_failure_has_no_address) {
  event(Kind::failure, 0, 5);
  event(Kind::failure, 0, 5);
  EXPECT_EQ(told(), "marker out of memory at 1\nmarker out of memory at 2\n");
  EXPECT_EQ(facts.failures, 2U);
}

}  // namespace
}  // namespace vramlab::traces
