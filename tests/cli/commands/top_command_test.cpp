// `vramlab top` from outside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "tests/support/kit/command_test.h"
#include "tests/support/kit/text_program.h"
#include "tests/support/processes/places.h"

namespace vramlab::tests {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using support::free_line;
using support::malloc_line;
using testing::HasSubstr;

class Top : public FolderTest {
 protected:
  static ProgramResult top(std::vector<std::string> arguments, const std::string& input = "") {
    arguments.insert(arguments.begin(), "top");
    return run_vramlab(std::move(arguments), input);
  }
  static json top_json(std::vector<std::string> arguments) {
    arguments.emplace_back("--json");
    const ProgramResult result = top(std::move(arguments));
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    return json::parse(result.output);
  }
  static std::string trace_of(const std::string& lines) {
    return "{\"format\":\"vramlab-trace\",\"version\":1}\n" + lines;
  }
  /// The program is refused with this reason.
  static void expect_refused(const std::vector<std::string>& arguments, const std::string& reason) {
    expect_refused_in_one_line(top(arguments), reason);
  }
};

TEST_F(Top, says_the_same_of_a_program_and_of_its_recording) {
  const std::string recording = folder + "/training.pickle";
  ASSERT_EQ(run_vramlab({"replay", training, "--snapshot-out", recording, "--quiet"}).exit_status,
            0);
  const auto facts = [](const json& document) {
    json rows = json::array();
    for (const json& group : document["devices"][0]["groups"])
      rows.push_back({group["key"], group["bytes"], group["requested_bytes"], group["blocks"]});
    return rows;
  };
  for (const char* by : {"site", "stack", "size", "stream", "pool"}) {
    const json of_program = top_json({training, "--by", by});
    EXPECT_EQ(facts(of_program), facts(top_json({recording, "--by", by}))) << by;
    EXPECT_GT(of_program["devices"][0]["groups"].size(), 0U);
  }
}

TEST_F(Top, finds_the_peaks_that_a_replay_tells_of) {
  for (const std::string sample : {"gpt_training.pickle.gz", "experts.vtrace"}) {
    const json replayed =
        json::parse(run_vramlab({"replay", "--json", samples + sample}).output)["devices"][0];
    const json peak = top_json({samples + sample})["devices"][0];
    EXPECT_EQ(peak["bytes"], replayed["peak_allocated"]["bytes"]);
    EXPECT_EQ(peak["event"], replayed["peak_allocated"]["event"]);
    EXPECT_EQ(peak["bytes_are"], "blocks");
    const json reserved = top_json({samples + sample, "--at", "peak_reserved"})["devices"][0];
    EXPECT_EQ(reserved["event"], replayed["peak_reserved"]["event"]);
    EXPECT_LE(reserved["bytes"], peak["bytes"]);
  }
}

TEST_F(Top, has_all_groups_in_json_and_says_what_a_limit_left_out) {
  const json whole = top_json({leak});
  const json part = top_json({leak, "--limit", "2"});
  EXPECT_EQ(whole["schema_version"], 2);
  EXPECT_EQ(whole["moment"], "peak");
  const json& device = part["devices"][0];
  EXPECT_EQ(device["groups"].size(), 2U);
  EXPECT_EQ(device["more"]["groups"], whole["devices"][0]["groups"].size() - 2);
  std::uint64_t sum = device["more"]["bytes"];
  for (const json& group : device["groups"]) sum += group["bytes"].get<std::uint64_t>();
  EXPECT_EQ(sum, whole["devices"][0]["bytes"]);
}

TEST_F(Top, folds_stacks_that_add_up_to_the_whole) {
  const ProgramResult result = top({training, "--folded"});
  std::istringstream lines(result.output);
  std::uint64_t sum = 0;
  for (std::string line; std::getline(lines, line);)
    sum += std::stoull(line.substr(line.rfind(' ') + 1));
  EXPECT_EQ(sum, top_json({training})["devices"][0]["bytes"]);
}

TEST_F(Top, reads_standard_input) {
  const ProgramResult result =
      top({"-", "--at", "1"}, trace_of(malloc_line(1, 1024) + malloc_line(2, 4096) + free_line(1)));
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("5.00 KiB in 2 blocks"));
  EXPECT_THAT(result.output, HasSubstr("no block has a stack"));
}

TEST_F(Top, shows_each_device_or_one_of_them) {
  const std::string file =
      write("two.jsonl", trace_of(malloc_line(1, 1024) + malloc_line(2, 4096, ",\"device\":1")));
  const ProgramResult both = top({file});
  EXPECT_THAT(both.output, HasSubstr("device 0 at the peak"));
  EXPECT_THAT(both.output, HasSubstr("device 1 at the peak"));
  const ProgramResult one = top({file, "--device", "1"});
  EXPECT_THAT(one.output, testing::Not(HasSubstr("device 0")));
  EXPECT_EQ(top({file, "--folded"}).output,
            "device 0;(no stack was recorded) 1024\ndevice 1;(no stack was recorded) 4096\n");
  expect_refused({file, "--device", "2"},
                 "expected a device 2 that has something to show, found "
                 "only 0, 1");
}

TEST_F(Top, shows_the_end_of_a_snapshot_without_a_history_and_says_so) {
  const std::string file = write("segments.json", R"([{"device": 0, "address": 4096,
    "total_size": 2097152, "allocated_size": 1024, "active_size": 1024, "stream": 0,
    "segment_type": "small", "blocks": [
      {"address": 4096, "size": 1024, "requested_size": 700, "state": "active_allocated",
       "frames": [{"name": "load", "filename": "/home/me/model.py", "line": 3}]},
      {"address": 5120, "size": 2096128, "requested_size": 0, "state": "inactive"}]}])");
  const ProgramResult result = top({file});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("at the end, the only state in the file"));
  EXPECT_THAT(result.output, HasSubstr("1.00 KiB in 1 block, 700 bytes requested\n"));
  EXPECT_THAT(result.output, HasSubstr("me/model.py:3 load"));
  expect_refused({file, "--at", "5"}, "expected an event 5, found no history");
}

TEST_F(Top, reads_logs_as_programs) {
  const std::string logs = support::source_dir() + "/tests/traces/samples/";
  EXPECT_THAT(top({logs + "rmm.csv", "--at", "oom", "--by", "stream"}).output,
              testing::AllOf(HasSubstr("at the first out-of-memory, after event 3"),
                             HasSubstr("100.0 %       1  stream 2\n")));
  EXPECT_THAT(top({logs + "profiler.json", "--by", "size"}).output,
              testing::AllOf(HasSubstr("1.50 KiB in 2 blocks"), HasSubstr("over 512 B to 1 KiB"),
                             HasSubstr("up to 512 B")));
}

TEST_F(Top, knows_that_a_device_without_a_request_holds_nothing) {
  const std::string file =
      write("idle.jsonl", trace_of(malloc_line(1, 1024) + "{\"marker\":\"here\",\"device\":1}\n"));
  EXPECT_THAT(top({file, "--device", "1"}).output,
              HasSubstr("device 1 at the peak of allocated memory, before the first event\n"
                        "  nothing is allocated\n"));
}

TEST_F(Top, says_that_no_iterations_can_be_told) {
  const std::string file = write("short.jsonl", trace_of(malloc_line(1, 1024)));
  EXPECT_THAT(top({file, "--growth"}).output, HasSubstr("no iterations found"));
  EXPECT_EQ(top_json({file, "--growth"})["iterations_by"], "none");
}

TEST_F(Top, takes_the_moments_that_snapshot_takes) {
  const std::string expected = top({leak, "--at", "1500us"}).output;
  EXPECT_THAT(expected, HasSubstr("device 0 at 1500us, "));
  for (const std::string same : {"1.5ms", "time:1.5ms", "time:1500us"}) {
    const ProgramResult result = top({leak, "--at", same});
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    EXPECT_EQ(result.output.substr(result.output.find("after event")),
              expected.substr(expected.find("after event")));
  }
}

TEST_F(Top, refuses_what_there_is_not) {
  expect_refused({folder + "/nothing"}, "expected a file that can be read");
  expect_refused({leak, "--at", "99999"}, "expected an event 99999, found 5457 events, from 0 on");
  expect_refused({leak, "--at", "oom"}, "expected a request that failed, found none");
  expect_refused({leak, "--at", "9999s"}, "expected a time that the history reaches");
  expect_refused({leak, "--at", "noon"}, "an event's number or a time such as 20ms, found 'noon'");
  expect_refused({leak, "--at", "99999999999999999999s"}, "found '99999999999999999999s'");
  expect_refused({leak, "--between", "7", "7"}, "expected the earlier event first, found 7 and 7");
  expect_refused({leak, "--by", "colour"}, "colour");
  expect_refused({leak, "--every", "5"}, "--growth");
  expect_refused({leak, "--growth", "--iteration", "5,99999"}, "expected an event 99999");
}

}  // namespace
}  // namespace vramlab::tests
