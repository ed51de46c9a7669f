// `vramlab steps` from outside. Its output for the tour's programs is in tests/golden/steps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/kit/command_test.h"
#include "tests/support/kit/text_program.h"

namespace vramlab::tests {
namespace {

using nlohmann::json;
using support::malloc_line;
using testing::HasSubstr;
using testing::Not;

const std::string header = "{\"format\":\"vramlab-trace\",\"version\":1}\n";

ProgramResult steps(std::vector<std::string> arguments, const std::string& input) {
  arguments.insert(arguments.begin(), {"steps", "-"});
  return run_vramlab(std::move(arguments), input);
}

TEST(StepsCommand, gives_the_text_of_each_rule_that_acted_once) {
  const ProgramResult result =
      steps({"--json"}, header + malloc_line(1, 4096) + malloc_line(2, 4096));
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  const json document = json::parse(result.output);
  EXPECT_EQ(document["rules"]["1.2"], "rounded sizes up to 1 MiB are small, all others large");
  for (const json& step : document["steps"])
    for (const json& rule : step["rules"])
      EXPECT_TRUE(document["rules"].contains(rule.get<std::string>())) << rule;
}

TEST(StepsCommand, shows_segments_that_changed_and_counts_the_others) {
  const std::string lines = header + malloc_line(1, 12U << 20) + malloc_line(2, 14U << 20);
  const ProgramResult all = steps({}, lines);
  EXPECT_THAT(all.output, HasSubstr("  as before      1 segment\n"));
  EXPECT_THAT(all.output, HasSubstr("segment 2 (+1)"));
  // The first step that is shown has all of them.
  const ProgramResult last = steps({"--from", "1"}, lines);
  EXPECT_THAT(last.output, HasSubstr("[1: 12.00 MiB]"));
  EXPECT_THAT(last.output, Not(HasSubstr("as before")));
}

TEST(StepsCommand, shows_long_texts_of_events_in_place) {
  const std::string options = "max_split_size_mb:64,garbage_collection_threshold:0.5";
  const ProgramResult result = steps({}, header + "{\"options\":\"" + options + "\"}\n");
  EXPECT_THAT(result.output, HasSubstr("{\"options\":\"" + options + "\"}"));
}

TEST(StepsCommand, shows_a_part_and_says_where_the_next_one_begins) {
  std::string lines = header;
  for (std::uint64_t id = 1; id <= 5; ++id) lines += malloc_line(id, 4096);
  const ProgramResult result = steps({"--from", "1", "--count", "2"}, lines);
  EXPECT_THAT(result.output, HasSubstr("event 1:"));
  EXPECT_THAT(result.output, HasSubstr("event 2:"));
  EXPECT_THAT(result.output, Not(HasSubstr("event 3:")));
  EXPECT_THAT(result.output, HasSubstr("The next events: --from 3"));
}

TEST(StepsCommand, of_a_recording_says_where_the_next_part_begins) {
  // It has more events than calls of the allocator.
  const ProgramResult result = run_vramlab(
      {"steps", samples + "gpt_training.pickle.gz", "--from", "40000", "--count", "1", "--json"});
  const auto calls = nlohmann::json::parse(result.output).at("allocator_calls").get<int>();
  EXPECT_LT(calls, 40000);
  EXPECT_THAT(
      run_vramlab({"steps", samples + "gpt_training.pickle.gz", "--from", "40000", "--count", "1"})
          .output,
      HasSubstr("The next events: --from 40001"));
}

TEST(StepsCommand, ends_with_the_request_that_failed_unless_it_is_to_go_on) {
  const std::string lines = header + malloc_line(1, 80U << 20) + malloc_line(2, 4096);
  const ProgramResult stops = steps({"--device-memory", "64MiB"}, lines);
  EXPECT_THAT(stops.output, HasSubstr("a request failed (--on-oom skip goes on)"));
  EXPECT_THAT(stops.output, Not(HasSubstr("event 1:")));
  const ProgramResult goes_on = steps({"--device-memory", "64MiB", "--on-oom", "skip"}, lines);
  EXPECT_THAT(goes_on.output, HasSubstr("event 1:"));
}

TEST(StepsCommand, refuses_a_program_with_the_line_that_is_wrong) {
  const ProgramResult result = steps({}, header + malloc_line(1, 4096) + "{\"mallok\":2}\n");
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.errors, HasSubstr("line 3"));
}

TEST(StepsCommand, refuses_another_backend_that_has_no_blocks_to_show) {
  const ProgramResult result =
      steps({"--conf", "backend:cudaMallocAsync"}, header + malloc_line(1, 4096));
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.errors, HasSubstr("backend:cudaMallocAsync"));
}

}  // namespace
}  // namespace vramlab::tests
