// `vramlab pack` from outside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/support/kit/command_test.h"

namespace vramlab::tests {
namespace {

using nlohmann::json;
using testing::HasSubstr;

ProgramResult pack(std::vector<std::string> arguments, const std::string& input = "") {
  arguments.insert(arguments.begin(), "pack");
  return run_vramlab(std::move(arguments), input);
}

TEST(Pack, of_a_list_of_buffers_says_whether_it_fits) {
  const ProgramResult result = pack({"-", "--capacity", "12"}, buffer_list);
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("12 bytes) by "));
  EXPECT_THAT(result.output, HasSubstr("which is optimal"));
  EXPECT_THAT(result.output, HasSubstr("fits into 12 bytes"));
  const ProgramResult too_small = pack({"-", "--capacity", "11"}, buffer_list);
  EXPECT_EQ(too_small.exit_status, 1);
  EXPECT_THAT(too_small.output, HasSubstr("does not fit into 11 bytes, and no packing can"));
}

TEST(Pack, claims_no_optimum_above_the_bound_of_a_list_with_gaps) {
  const ProgramResult result =
      pack({"-", "--json"}, "id,lower,upper,size,gaps\na,0,9,4,3-6\nb,3,6,4,\n");
  const json document = json::parse(result.output);
  EXPECT_EQ(document["groups"][0]["load_bound"], 4);
  EXPECT_EQ(document["groups"][0]["best"]["bytes"], 8);
  EXPECT_EQ(document["groups"][0]["best"]["is_optimal"], false);
  EXPECT_EQ(document["notes"].size(), 1U);
}

TEST(Pack, of_a_sample_and_of_its_recording_is_the_same) {
  const std::string recording = support::own_folder() + "pack_leak.pickle";
  ASSERT_EQ(
      run_vramlab({"replay", leak, "--snapshot-out", recording, "--force", "--quiet"}).exit_status,
      0);
  const json of_program = json::parse(pack({leak, "--json"}).output);
  const json of_recording = json::parse(pack({recording, "--json"}).output);
  EXPECT_EQ(of_program["source"], "program");
  EXPECT_EQ(of_recording["source"], "recording");
  EXPECT_EQ(of_program["groups"], of_recording["groups"]);
}

TEST(Pack, of_samples_lies_between_the_bound_and_what_the_allocator_reserved) {
  for (const char* name : {"diffusion.vtrace", "graphs.vtrace.jsonl", "serving.vtrace.jsonl"}) {
    SCOPED_TRACE(name);
    const json group = json::parse(pack({samples + name, "--json"}).output)["groups"][0];
    EXPECT_LE(group["lower_bounds"]["peak_requested"], group["load_bound"]);
    EXPECT_LE(group["load_bound"], group["best"]["bytes"]);
    EXPECT_LE(group["best"]["bytes"], group["peak_reserved"]);
    EXPECT_GE(group["lower_bounds"]["sum_of_stream_peaks"], group["load_bound"]);
    for (const json& tried : group["tried"]) EXPECT_GE(tried["bytes"], group["best"]["bytes"]);
  }
}

TEST(Pack, is_refused_with_one_line_where_the_input_is_wrong) {
  for (const auto& [input, reason] : std::vector<std::pair<std::string, std::string>>{
           {"id,lower,upper,size\nb1,0,x,4\n", "standard input at byte 20 (line 2)"},
           {"id,lower,upper,size\n", "expected a buffer, found none"},
           {"hello", "expected a recording"}}) {
    const ProgramResult result = pack({"-"}, input);
    EXPECT_EQ(result.exit_status, 2);
    EXPECT_EQ(result.output, "");
    EXPECT_THAT(result.errors, HasSubstr(reason));
    EXPECT_EQ(std::ranges::count(result.errors, '\n'), 1);
  }
}

TEST(Pack, says_that_requests_that_failed_are_left_out) {
  const std::string file = support::source_dir() + "/tests/truth/pooltight_440.pickle.gz";
  EXPECT_THAT(pack({file, "--time", "10ms"}).output,
              HasSubstr("note: device 0: without the 2 requests that failed\n"));
}

}  // namespace
}  // namespace vramlab::tests
