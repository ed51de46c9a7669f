// `vramlab streams` of a program, from outside: the three bundled samples, the formats, bad input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/kit/command_test.h"
#include "tests/support/processes/places.h"

namespace vramlab::tests {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

std::string sample_path(const std::string& name) {
  return support::source_dir() + "/traces/samples/" + name + ".vtrace.jsonl";
}

ProgramResult streams(std::vector<std::string> arguments, const std::string& input = "") {
  arguments.insert(arguments.begin(), "streams");
  return run_vramlab(std::move(arguments), input);
}

json streams_json(const std::string& name) {
  const ProgramResult result = streams({"--json", sample_path(name)});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  return json::parse(result.output);
}

/// A program of these lines, from standard input.
ProgramResult streams_of(const std::string& lines, std::vector<std::string> arguments = {}) {
  arguments.push_back("-");
  return streams(std::move(arguments), "{\"format\":\"vramlab-trace\",\"version\":1}\n" + lines);
}

TEST(StreamsOfPrograms, a_clean_overlap_has_its_figures_and_no_hazard) {
  const json found = streams_json("overlap");
  EXPECT_EQ(found["kind"], "program");
  EXPECT_TRUE(found["hazards"].empty());
  EXPECT_TRUE(found["refused_calls"].empty());
  const json& compute = found["activity"]["streams"][0];
  EXPECT_EQ(compute["stream"], 0);
  EXPECT_EQ(compute["work"], 12);
  EXPECT_EQ(compute["busy_ns"], 6 * 600'000);
  const json& copies = found["activity"]["streams"][1];
  EXPECT_EQ(copies["stream"], 7);
  EXPECT_EQ(copies["busy_ns"], 6 * 300'000);
  const json& device = found["activity"]["devices"][0];
  EXPECT_GT(device["overlapped_ns"], 1'000'000);
  EXPECT_EQ(device["busy_ns"].get<int>() + device["overlapped_ns"].get<int>(), 6 * 900'000);
  EXPECT_EQ(found["waiting_frees"][0]["waited"]["frees"], 6);
}

TEST(StreamsOfPrograms, a_missing_record_stream_is_found_and_explained) {
  const json hazards = streams_json("missing_record_stream")["hazards"];
  ASSERT_EQ(hazards.size(), 1U) << hazards.dump(1);
  EXPECT_EQ(hazards[0]["kind"], "reused_too_early");
  EXPECT_EQ(hazards[0]["count"], 5);
  EXPECT_EQ(hazards[0]["memory"]["bytes"], 8 << 20);
  const std::string text = streams({sample_path("missing_record_stream")}).output;
  EXPECT_THAT(text, HasSubstr("memory is reused while work may still use it, 5 times"));
  EXPECT_THAT(text, HasSubstr("train.py:20 forward) on stream 0 reads it"));
  EXPECT_THAT(text, HasSubstr("loader.py:31 prefetch) gets the memory for stream 7"));
  EXPECT_THAT(text, HasSubstr("record_stream(stream 0) on the earlier block before it is freed"));
}

TEST(StreamsOfPrograms, an_overused_record_stream_shows_its_cost) {
  const json found = streams_json("overused_record_stream");
  EXPECT_TRUE(found["hazards"].empty());
  const json& frees = found["waiting_frees"][0];
  EXPECT_EQ(frees["waited"]["frees"], 48);
  EXPECT_EQ(frees["max_bytes"], 128 << 20);
  EXPECT_EQ(frees["call_sites"][0]["freed_at"], "ddp.py:58 all_reduce");
  const json& at_once = found["if_completed_at_once"][0];
  EXPECT_EQ(at_once["peak_reserved_bytes"], 32 << 20);
  EXPECT_EQ(found["as_modelled"][0]["peak_reserved_bytes"], 144 << 20);
  EXPECT_THAT(streams({sample_path("overused_record_stream")}).output,
              HasSubstr("leave out record_stream"));
}

TEST(StreamsOfPrograms, the_picture_has_tracks_arrows_curves_and_marks) {
  const ProgramResult result =
      streams({"--format", "perfetto", sample_path("missing_record_stream")});
  const json picture = json::parse(result.output);
  std::map<std::string, int> phases;
  for (const json& event : picture["traceEvents"]) ++phases[event["ph"].get<std::string>()];
  EXPECT_EQ(phases["s"], 6);
  EXPECT_EQ(phases["f"], 6);
  EXPECT_EQ(phases["i"], 1);
  EXPECT_GT(phases["C"], 12);
  // 18 pieces of work, 6 records, 6 waits.
  EXPECT_EQ(phases["X"], 30);
}

TEST(StreamsOfPrograms, the_picture_goes_to_a_file_that_is_not_overwritten) {
  const std::string path = support::own_folder() + "streams_picture.json";
  std::filesystem::remove(path);
  const std::vector<std::string> command = {"--format", "perfetto", sample_path("overlap"), "-o",
                                            path};
  EXPECT_EQ(streams(command).exit_status, 0);
  EXPECT_GT(std::filesystem::file_size(path), 5'000U);
  EXPECT_EQ(streams(command).exit_status, 2);
  std::filesystem::remove(path);
}

TEST(StreamsOfPrograms, findings_fail_where_that_is_asked_for) {
  EXPECT_EQ(streams({"--fail-on-findings", sample_path("missing_record_stream")}).exit_status, 1);
  EXPECT_EQ(streams({"--fail-on-findings", sample_path("overlap")}).exit_status, 0);
  const std::vector<std::string> without = {"--fail-on-findings", "--no-hazards",
                                            sample_path("missing_record_stream")};
  EXPECT_EQ(streams(without).exit_status, 0);
}

TEST(StreamsOfPrograms, limits_and_latency_change_the_times) {
  const std::string lines = R"({"work":1,"duration_ns":100}
{"work":2,"duration_ns":100}
)";
  EXPECT_THAT(streams_of(lines).output, HasSubstr("100 ns\n"));
  EXPECT_THAT(streams_of(lines, {"--kernels", "1"}).output, HasSubstr("simulated time     200 ns"));
  EXPECT_THAT(streams_of(lines, {"--launch-latency", "50ns"}).output,
              HasSubstr("simulated time     150 ns"));
}

TEST(StreamsOfPrograms, waits_that_never_end_are_told_with_their_flag) {
  const ProgramResult result = streams_of(R"({"flag_wait":3,"value":1,"stream":5}
{"stream_sync":5}
{"malloc":1,"bytes":512}
)",
                                          {"--fail-on-findings"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.output, HasSubstr("host thread 0 never returns from event 1"));
  EXPECT_THAT(result.output, HasSubstr("which waits for flag 3"));
  EXPECT_THAT(result.output, HasSubstr("something writes flag 3"));
  EXPECT_THAT(result.output, HasSubstr("the program stops at event 2"));
}

TEST(StreamsOfPrograms, refused_calls_have_the_names_of_their_errors) {
  const ProgramResult result = streams_of(R"({"stream_create":4}
{"capture_begin":4}
{"stream_sync":4}
{"capture_end":4,"graph":1}
)");
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_THAT(result.output,
              HasSubstr("stream_sync of event 2: cudaErrorStreamCaptureUnsupported"));
  EXPECT_THAT(result.output,
              HasSubstr("capture_end of event 3: cudaErrorStreamCaptureInvalidated"));
}

TEST(StreamsOfPrograms, bad_input_is_told_with_file_place_expected_and_found) {
  const ProgramResult stream =
      streams_of("{\"stream_create\":4}\n{\"work\":5,\"duration_ns\":1}\n");
  EXPECT_EQ(stream.exit_status, 2);
  EXPECT_THAT(stream.errors, HasSubstr("standard input"));
  EXPECT_THAT(stream.errors, HasSubstr("event 1 of the program"));
  EXPECT_THAT(stream.errors, HasSubstr("stream 5 is used and was never created"));
  const ProgramResult event = streams_of("{\"event_create\":4}\n{\"event_record\":5}\n");
  EXPECT_EQ(event.exit_status, 2);
  EXPECT_THAT(event.errors, HasSubstr("event 5 is used and was never created"));
  const ProgramResult time = streams_of("{\"work\":5,\"duration_ns\":-1}\n");
  EXPECT_EQ(time.exit_status, 2);
  EXPECT_THAT(time.errors, HasSubstr("line 2"));
  const ProgramResult block = streams_of("{\"reads\":9}\n{\"work\":0,\"duration_ns\":1}\n");
  EXPECT_EQ(block.exit_status, 2);
  EXPECT_THAT(block.errors, HasSubstr("the id 9, which nothing ever had"));
  EXPECT_EQ(streams({"--copy-engines", "3", sample_path("overlap")}).exit_status, 2);
}

TEST(StreamsOfPrograms, a_recording_has_no_picture_of_its_streams) {
  const std::string path = support::own_folder() + "streams_recording.json";
  std::ofstream(path) << R"({"segments": [], "device_traces": [[]]})";
  const ProgramResult result = streams({"--format", "perfetto", path});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.errors, HasSubstr("does not say what ran when"));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace vramlab::tests
