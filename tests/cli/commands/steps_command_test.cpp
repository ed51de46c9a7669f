// `vramlab steps` from outside. Its output for the tour's programs is in tests/golden/steps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/kit/command_test.h"
#include "tests/support/kit/own_folder.h"
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

TEST(StepsCommand, shows_a_script_as_it_is_written) {
  const ProgramResult result = steps({}, "program()\na = empty(4*MiB)\na.record_stream(7)\n");
  EXPECT_THAT(result.output, HasSubstr("event 0: a = empty(4*MiB)\n"));
  EXPECT_THAT(result.output, HasSubstr("event 1: a.record_stream(7)\n"));
  EXPECT_THAT(result.output, HasSubstr("[a: 4.00 MiB]"));
}

TEST(StepsCommand, names_the_line_of_a_script_whose_request_failed) {
  const ProgramResult result = steps({}, "program(memory=64*MiB)\n\na = empty(80*MiB)\n");
  EXPECT_THAT(result.output, HasSubstr("out of memory at standard input:3"));
}

TEST(StepsCommand, gives_every_event_as_a_record_and_as_a_line) {
  const ProgramResult result = steps({"--json"}, header + malloc_line(27, 4096));
  const json step = json::parse(result.output).at("steps").at(0);
  EXPECT_EQ(step.at("record"), "{\"malloc\":27,\"bytes\":4096}");
  EXPECT_EQ(step.at("line"), "aa = empty(4*KiB)");
  EXPECT_EQ(step.at("memory"), "device");
  EXPECT_EQ(step.at("segments").at(0).at("blocks").at(0).at("name"), "aa");
}

TEST(StepsCommand, shows_pinned_memory_with_its_own_counters) {
  const std::string script =
      "program(version=2)\nhost_malloc(a, bytes=3*MiB)\nwork(0, duration_ns=5*us)\n"
      "host_use(a)\nhost_free(a)\nstream_done(0)\nhost_empty_cache()\n";
  const ProgramResult result = steps({}, script);
  EXPECT_THAT(result.output, HasSubstr("  segment        4.00 MiB at "));
  EXPECT_THAT(result.output, HasSubstr(", pinned: [a: 4.00 MiB]\n"));
  EXPECT_THAT(result.output, HasSubstr("active_requests 1 (+1)"));
  EXPECT_THAT(result.output, HasSubstr(", pinned: [a: 4.00 MiB waits]\n"));
  EXPECT_THAT(result.output, HasSubstr("  memory         0 bytes allocated, 0 bytes pinned\n"));
  const json document = json::parse(steps({"--json"}, script).output);
  EXPECT_EQ(document.at("steps").at(0).at("memory"), "pinned");
  EXPECT_EQ(document.at("steps").at(0).at("segments").at(0).at("kind"), "pinned");
}

/// The lowest address in 2.6, the segment that was got first in 2.15.
const std::string two_equal_segments =
    "program()\na = empty(12*MiB)\nb = empty(12*MiB)\ndel a\nempty_cache()\nc = empty(12*MiB)\n"
    "del b, c\nd = empty(12*MiB)\n";

std::string script_file(const std::string& script) {
  const std::string path = support::own_folder() + "two_versions.vtrace.py";
  std::ofstream(path) << script;
  return path;
}

ProgramResult steps_beside(const std::string& version, std::vector<std::string> more = {}) {
  std::vector<std::string> words = {
      "steps", script_file(two_equal_segments), "--reference", "2.6", "--beside", version};
  words.insert(words.end(), more.begin(), more.end());
  return run_vramlab(words);
}

TEST(StepsCommand, shows_two_versions_beside_each_other_where_they_differ) {
  const std::string text = steps_beside("2.15").output;
  EXPECT_THAT(text, HasSubstr("beside the rules of PyTorch 2.15: 1 event differs, the first is "
                              "event 7\n"));
  EXPECT_THAT(text, HasSubstr("event 7: d = empty(12*MiB)\n PyTorch 2.6\n"));
  EXPECT_THAT(text, HasSubstr("\n PyTorch 2.15\n"));
}

TEST(StepsCommand, gives_the_steps_of_both_versions) {
  const json document = json::parse(steps_beside("2.15", {"--json"}).output);
  EXPECT_EQ(document.at("reference"), "2.6");
  EXPECT_EQ(document.at("beside").at("reference"), "2.15");
  const auto address_at = [](const json& all) {
    return all.at(7).at("entries").at(0).at("address").get<std::uint64_t>();
  };
  EXPECT_NE(address_at(document.at("steps")), address_at(document.at("beside").at("steps")));
}

TEST(StepsCommand, beside_the_same_version_has_no_difference) {
  EXPECT_THAT(steps_beside("2.6").output,
              HasSubstr("beside the rules of PyTorch 2.6: no event differs\n"));
}

TEST(StepsCommand, beside_another_version_needs_a_file_as_it_is_read_twice) {
  const ProgramResult result = steps({"--beside", "2.15"}, two_equal_segments);
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.errors, HasSubstr("expected a file for --beside, which reads it twice"));
}

TEST(StepsCommand, refuses_another_backend_that_has_no_blocks_to_show) {
  const ProgramResult result =
      steps({"--conf", "backend:cudaMallocAsync"}, header + malloc_line(1, 4096));
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.errors, HasSubstr("backend:cudaMallocAsync"));
}

}  // namespace
}  // namespace vramlab::tests
