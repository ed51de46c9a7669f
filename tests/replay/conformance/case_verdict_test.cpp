#include "replay/conformance/case_verdict.h"

#include <gtest/gtest.h>

#include "replay/replayer/subjects.h"
#include "tests/support/devices/scripted_subject.h"
#include "tests/support/kit/small_case.h"

namespace vramlab::replay {
namespace {

using tests::small_case_text;
using tests::small_case_with;

CaseVerdict judge(const std::string& text) {
  return judge_case(traces::parse_recorded_case(text, "small"), {make_engine_subject});
}

TEST(CaseVerdict, a_case_with_equal_answers_passes) {
  const CaseVerdict verdict = judge(small_case_text());
  EXPECT_TRUE(verdict.passed()) << verdict_text(verdict);
  EXPECT_EQ(verdict_text(verdict), "small: passed\n");
}

TEST(CaseVerdict, a_failed_case_shows_call_difference_and_segments) {
  const CaseVerdict verdict =
      judge(small_case_with(R"(["free_requested", 139637976727552, 1000, 0])",
                            R"(["free_requested", 139637976727552, 1001, 0])"));
  EXPECT_EQ(
      verdict_text(verdict),
      "small: failed first at call 2: free, 1\n"
      "  trace[3] (call 2)\n"
      "    expected  free_requested, 0x7f0000000000, 1001, stream 0\n"
      "    actual    free_requested, 0x7f0000000000, 1000, stream 0\n"
      "segments before that call:\n"
      "  0x7f0000000000, total 2097152, allocated 1024, active 1024, requested 1000, stream 0, "
      "small, pool (0, 0), classic\n"
      "    > 0x7f0000000000, 1024, requested 1000, active_allocated\n"
      "      0x7f0000000400, 2096128, requested 0, inactive\n");
}

TEST(CaseVerdict, each_trace_entry_belongs_to_the_call_that_caused_it) {
  struct Entry {
    const char* text;
    std::int64_t call;
  };
  for (const Entry& entry :
       {Entry{R"(["segment_alloc", 1)", 0}, Entry{R"(["alloc", 1)", 0},
        Entry{R"(["snapshot", 0, 1)", 1}, Entry{R"(["free_completed", 1)", 2}}) {
    const CaseVerdict verdict = judge(small_case_with(entry.text, std::string(entry.text) + "1"));
    EXPECT_EQ(verdict.first_call, entry.call) << entry.text;
  }
}

TEST(CaseVerdict, a_differing_block_of_a_snapshot_is_named_with_its_call) {
  const CaseVerdict verdict = judge(small_case_with("[2096128, 0,", "[2096128, 512,"));
  ASSERT_EQ(verdict.differences.size(), 1U);
  EXPECT_EQ(verdict.differences[0].where, "snapshots[0][0].blocks[1]");
  EXPECT_EQ(verdict.differences[0].expected, "0x7f0000000400, 2096128, requested 512, inactive");
  EXPECT_EQ(verdict.first_call, 1);
}

TEST(CaseVerdict, what_shows_only_at_the_end_has_no_call) {
  const CaseVerdict verdict = judge(small_case_with(R"("num_ooms": 0)", R"("num_ooms": 7)"));
  ASSERT_EQ(verdict.differences.size(), 1U);
  EXPECT_EQ(verdict.differences[0].where, "final_stats.num_ooms");
  EXPECT_EQ(verdict.first_call, std::nullopt);
  EXPECT_NE(verdict_text(verdict).find("failed at the end"), std::string::npos);
}

TEST(CaseVerdict, an_error_of_the_starting_options_is_compared_too) {
  const CaseVerdict verdict =
      judge(small_case_with(R"("config": "")", R"("config": "nonsense:1")"));
  ASSERT_FALSE(verdict.passed());
  EXPECT_EQ(verdict.differences[0].where, "config_errors[0]");
  EXPECT_EQ(verdict.differences[0].expected, "nothing");
  EXPECT_EQ(verdict.first_call, -1);
}

TEST(CaseVerdict, a_call_that_cannot_be_made_fails_the_case) {
  const CaseVerdict verdict = judge(small_case_with(R"(["free", 1])", R"(["end_pool", 9])"));
  ASSERT_FALSE(verdict.passed());
  EXPECT_EQ(verdict.differences[0].where, "ops[2]");
  EXPECT_EQ(verdict.differences[0].expected, "a call that can be made");
  EXPECT_EQ(verdict.first_call, 2);
}

TEST(CaseVerdict, a_request_that_failed_here_only_shows_its_figures) {
  const auto subject_out_of_memory = [](auto&&...) {
    auto subject = std::make_unique<tests::ScriptedSubject>();
    subject->next_outcome = allocator::MallocOutcome::out_of_memory;
    return subject;
  };
  const auto recorded = traces::parse_recorded_case(small_case_text(), "small");
  const CaseVerdict verdict = judge_case(recorded, {subject_out_of_memory});
  ASSERT_FALSE(verdict.passed());
  EXPECT_EQ(verdict.differences[0].where, "results[0]");
  EXPECT_EQ(verdict.differences[0].expected, "0x7f0000000000");
  EXPECT_EQ(verdict.differences[0].actual, "null");
  EXPECT_EQ(verdict.first_call, 0);
  EXPECT_EQ(verdict.segments, "  no segments\n");
}

}  // namespace
}  // namespace vramlab::replay
