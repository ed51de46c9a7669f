#include "traces/cases/recorded_case.h"

#include <gtest/gtest.h>

#include "tests/support/kit/small_case.h"
#include "traces/io/input_error.h"

namespace vramlab::traces {
namespace {

using allocator::Address;
using allocator::Bytes;
using tests::small_case_text;
using tests::small_case_with;

RecordedCase parse(const std::string& text) { return parse_recorded_case(text, "case.json"); }

std::string error_of(const std::string& text) {
  try {
    parse(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

RecordedProgram program_of(const std::string& ops) {
  return parse(small_case_with(R"(["snapshot"], ["free", 1])", ops)).program;
}

TEST(RecordedCase, what_to_run_is_read) {
  const RecordedProgram program = parse(small_case_text()).program;
  EXPECT_EQ(program.name, "small");
  EXPECT_EQ(program.version->name, "2.12");
  EXPECT_EQ(program.device_total, Bytes{1073741824});
  EXPECT_EQ(program.memory_fraction, std::nullopt);
  ASSERT_EQ(program.calls.size(), 3U);
  EXPECT_EQ(program.calls[0].kind, ProgramEventKind::malloc);
  EXPECT_EQ(program.calls[0].id, 1U);
  EXPECT_EQ(program.calls[0].bytes, Bytes{1000});
}

TEST(RecordedCase, the_answers_are_read) {
  const RecordedAnswers answers = parse(small_case_text()).expected;
  EXPECT_EQ(answers.results.at(0), Address{139637976727552});
  EXPECT_EQ(answers.trace.at(2).action, allocator::Action::snapshot);
  EXPECT_EQ(answers.trace_pools->size(), 5U);
  EXPECT_EQ(answers.final_statistics.allocation.small_pool.peak, 1);
  EXPECT_EQ(answers.device_calls.cuda_malloc, 1U);
  EXPECT_TRUE(answers.has_oom_rejections);
  EXPECT_FALSE(answers.first_oom_message.has_value());
}

TEST(RecordedCase, blocks_of_a_snapshot_get_addresses_one_after_another) {
  const auto segment = parse(small_case_text()).expected.snapshots.at(0).segments.at(0);
  ASSERT_EQ(segment.blocks.size(), 2U);
  EXPECT_EQ(segment.blocks[0].address, segment.address);
  EXPECT_EQ(segment.blocks[1].address, segment.address + Bytes{1024});
}

TEST(RecordedCase, scopes_accept_all_streams_one_or_the_capturing_ones) {
  const auto calls =
      program_of(R"(["begin_pool", 1, null], ["begin_pool", 2, 5], ["begin_pool", 3, "capture"])")
          .calls;
  EXPECT_EQ(calls[1].scope, ScopeStreams::every_stream);
  EXPECT_EQ(calls[2].scope, ScopeStreams::one_stream);
  EXPECT_EQ(calls[2].stream.value, 5U);
  EXPECT_EQ(calls[3].scope, ScopeStreams::capturing_streams);
}

TEST(RecordedCase, emptying_the_cache_may_name_a_pool) {
  const auto calls = program_of(R"(["empty_cache"], ["empty_cache", 7])").calls;
  EXPECT_EQ(calls[1].pool.user, 0U);
  EXPECT_EQ(calls[2].pool.user, 7U);
}

TEST(RecordedCase, the_other_calls_carry_their_values) {
  const auto program = program_of(R"(["create_pool", 2, {"use_on_oom": true, "no_split": false}],
      ["checkpoint", 2, "a"], ["wait", 3, 4], ["set_fraction", 0.5], ["set_config", "x:y"])");
  const auto& calls = program.calls;
  EXPECT_TRUE(calls[1].use_on_oom);
  EXPECT_FALSE(calls[1].no_split);
  EXPECT_EQ(program.text_of(calls[2]), "a");
  EXPECT_EQ(calls[3].stream.value, 3U);
  EXPECT_EQ(calls[3].for_stream.value, 4U);
  EXPECT_EQ(calls[4].fraction, 0.5);
  EXPECT_EQ(program.text_of(calls[5]), "x:y");
}

TEST(RecordedCase, older_recordings_need_no_pools_in_the_trace) {
  std::string text = small_case_with("PyTorch 2.12 (main, April 2026)", "PyTorch 2.6.0");
  for (const std::string part :
       {R"("trace_pools": [0, 0, 0, 0, 0],)", R"(, "num_oom_rejections": 0)"})
    text.replace(text.find(part), part.size(), "");
  EXPECT_EQ(error_of(text), "no error");
}

struct BrokenCase {
  std::string part;
  std::string replacement;
  std::string error;
};

class BrokenRecordedCase : public ::testing::TestWithParam<BrokenCase> {};

TEST_P(BrokenRecordedCase, gives_file_position_expected_and_found) {
  EXPECT_EQ(error_of(small_case_with(GetParam().part, GetParam().replacement)),
            "case.json at " + GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, BrokenRecordedCase,
    ::testing::Values(
        BrokenCase{R"("name": "small", )", "",
                   "the top: expected the key 'name', found no such key"},
        BrokenCase{R"("name")", R"("nane")",
                   "the top: expected only known keys, found the key 'nane'"},
        BrokenCase{R"json("PyTorch 2.12 (main, April 2026)")json", R"("PyTorch 1.0")",
                   R"json(reference: expected "PyTorch 2.4" or "PyTorch 2.6.0" or )json"
                   R"json("PyTorch 2.12 (main, April 2026)" or )json"
                   R"json("PyTorch 2.12.0 and 2.12.1" or "PyTorch 2.13.0" or )json"
                   R"json("PyTorch 2.14.1" or "PyTorch 2.15.0", found "PyTorch 1.0")json"},
        BrokenCase{
            "1073741824", "-1",
            "device.total_bytes: expected a whole number from 0 to 1125899906842624, found -1"},
        BrokenCase{
            "1073741824", "1e300",
            "device.total_bytes: expected a whole number from 0 to 1125899906842624, found 1e+300"},
        BrokenCase{R"("memory_fraction": null)", R"("memory_fraction": 1.5)",
                   "memory_fraction: expected null or a fraction from 0 to 1, found 1.5"},
        BrokenCase{R"(["free", 1])", R"(["feee", 1])",
                   R"(ops[2][0]: expected the name of a call, found "feee")"},
        BrokenCase{R"(["free", 1])", R"(["free", 1, 2])",
                   "ops[2]: expected 'free' with 1 value after it, found an array of 3"},
        BrokenCase{R"(["free", 1])", R"(["free", -1])",
                   "ops[2][1]: expected a whole number from 0 to 18446744073709551615, found -1"},
        BrokenCase{
            R"(["free", 1])", R"(["free", "1"])",
            R"(ops[2][1]: expected a whole number from 0 to 18446744073709551615, found "1")"},
        BrokenCase{R"(["free", 1])", "[]",
                   "ops[2]: expected a call: its name and what it is about, found an array of 0"},
        BrokenCase{R"(["free", 1])", R"(["begin_pool", 1, "all"])",
                   R"(ops[2][2]: expected a stream, null or "capture", found "all")"},
        BrokenCase{R"(["free", 1])", R"(["create_pool", 1, {"no_split": true}])",
                   "ops[2][2]: expected the key 'use_on_oom', found no such key"},
        BrokenCase{R"(["free", 1])", R"(["restore", "a", 5])",
                   "expect: expected the key 'restores', found no such key"},
        BrokenCase{R"("results")", R"("resluts")",
                   "expect: expected only known keys, found the key 'resluts'"},
        BrokenCase{R"("trace_pools": [0, 0, 0, 0, 0],)", "",
                   "expect: expected the key 'trace_pools', found no such key"},
        BrokenCase{R"(, "num_oom_rejections": 0)", "",
                   "expect.final_stats: expected the key 'num_oom_rejections', found no such key"},
        BrokenCase{R"(["snapshot", 0, 1024, 0])", R"(["snapshot", 0, 1024])",
                   "expect.trace[2]: expected a trace entry: action, address, size, stream, found "
                   "an array of 3"},
        BrokenCase{R"(["snapshot", 0, 1024, 0])", R"(["snap", 0, 1024, 0])",
                   R"(expect.trace[2][0]: expected the name of an action, found "snap")"},
        BrokenCase{
            R"([2096128, 0, "inactive"])", R"([2096128, 0, "idle"])",
            R"(expect.snapshots[0][0].blocks[1][2]: expected active_allocated, active_pending_free or inactive, found "idle")"},
        BrokenCase{R"("is_expandable": false, "segment_pool_id": [0, 0],
  "blocks": [[1024)",
                   R"("is_expandable": 0, "segment_pool_id": [0, 0],
  "blocks": [[1024)",
                   "expect.snapshots[0][0].is_expandable: expected true or false, found 0"},
        BrokenCase{R"("trace_pools": [0, 0, 0, 0, 0])", R"("trace_pools": {})",
                   "expect.trace_pools: expected an array, found an object"},
        BrokenCase{R"("all": [0, 1, 1, 1])", R"("all": [0, 1, 1])",
                   "expect.final_stats.allocation.all: expected a statistic: current, peak, "
                   "allocated, freed, found an array of 3"},
        BrokenCase{R"("cudaFree")", R"("cudaFee")",
                   "expect.device_calls: expected only known keys, found the key 'cudaFee'"},
        BrokenCase{R"("ops": [)", R"("ops": [,)",
                   "byte 153: expected JSON, found ',[\"malloc\", 1, 1000,'"}));

TEST(RecordedCase, a_cut_off_text_is_an_error_at_its_end) {
  const std::string text = small_case_text();
  EXPECT_EQ(error_of(text.substr(0, 100)),
            "case.json at byte 101: expected JSON, found the end of the text");
  EXPECT_EQ(error_of(""), "case.json at byte 1: expected JSON, found the end of the text");
}

TEST(RecordedCase, deep_nesting_is_refused_before_it_is_parsed) {
  EXPECT_EQ(error_of(std::string(1000000, '[')),
            "case.json at byte 64: expected nesting at most 64 deep, found deeper nesting");
}

TEST(RecordedCase, text_cut_off_at_any_byte_or_with_a_byte_changed_never_does_more_than_throw) {
  const std::string text = small_case_text();
  for (std::size_t i = 0; i < text.size(); ++i) {
    EXPECT_NE(error_of(text.substr(0, i)), "no error");
    for (const char replacement : {'"', '9', '[', '\0', '\xff'}) {
      std::string altered = text;
      altered[i] = replacement;
      error_of(altered);
    }
  }
}

}  // namespace
}  // namespace vramlab::traces
