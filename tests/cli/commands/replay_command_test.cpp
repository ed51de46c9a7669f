// `vramlab replay` and `vramlab snapshot` from outside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/kit/command_test.h"
#include "tests/support/processes/places.h"

namespace vramlab::tests {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// Counts how often a file was opened.
class OpenCounter {
 public:
  explicit OpenCounter(const std::string& file) : queue_(inotify_init1(IN_NONBLOCK)) {
    // Without the closing between them, equal events would become one.
    EXPECT_NE(inotify_add_watch(queue_, file.c_str(), IN_OPEN | IN_CLOSE), -1);
  }
  ~OpenCounter() { close(queue_); }
  OpenCounter(const OpenCounter&) = delete;
  OpenCounter& operator=(const OpenCounter&) = delete;

  std::size_t count() const {
    std::array<inotify_event, 512> events{};
    const ssize_t bytes = read(queue_, events.data(), sizeof events);
    if (bytes <= 0) return 0;
    const auto seen = static_cast<std::size_t>(bytes) / sizeof events.front();
    return static_cast<std::size_t>(
        std::count_if(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(seen),
                      [](const inotify_event& event) { return (event.mask & IN_OPEN) != 0; }));
  }

 private:
  int queue_;
};

class ReplayCommands : public FolderTest {
 protected:
  static json device_of(const std::vector<std::string>& arguments) {
    const ProgramResult result = run_vramlab(arguments);
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    return json::parse(result.output).at("devices").at(0);
  }

  /// 3 MiB and 1000 bytes, then 3 MiB back.
  const std::string trace =
      "{\"format\":\"vramlab-trace\",\"version\":1}\n"
      "{\"malloc\":1,\"bytes\":3145728,\"time_ns\":5000}\n"
      "{\"malloc\":2,\"bytes\":1000,\"stream\":9,\"time_ns\":6000}\n"
      "{\"marker\":\"half\"}\n"
      "{\"free\":1,\"time_ns\":7000}\n";
};

TEST_F(ReplayCommands, replay_says_what_the_rules_give) {
  const ProgramResult result = run_vramlab({"replay", write("in.jsonl", trace)});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("peak reserved      22.00 MiB at event 1, after 1.00 us\n"));
  EXPECT_THAT(result.output, HasSubstr("requests           2, 0 failed; 1 frees\n"));
  EXPECT_THAT(result.output, HasSubstr("memory             no limit\n"));
}

TEST_F(ReplayCommands, replay_reads_standard_input) {
  const ProgramResult result = run_vramlab({"replay", "--json", "-"}, trace);
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  const json document = json::parse(result.output);
  EXPECT_EQ(document.at("schema_version"), 3);
  EXPECT_EQ(document.at("devices").at(0).at("peak_reserved").at("bytes"), 22 << 20);
  EXPECT_EQ(document.at("devices").at(0).at("end").at("allocated_bytes"), 1024);
  EXPECT_EQ(document.at("devices").at(0).at("memory_bytes"), nullptr);
}

TEST_F(ReplayCommands, other_options_and_cards_give_other_figures) {
  const json plain = device_of({"replay", "--json", training});
  const json mapped =
      device_of({"replay", "--json", training, "--conf", "expandable_segments:True"});
  EXPECT_GT(plain.at("device_allocs"), 0);
  EXPECT_EQ(mapped.at("device_allocs"), 0);
  EXPECT_GT(mapped.at("units_mapped"), 0);
  EXPECT_LT(mapped.at("peak_reserved").at("bytes"), plain.at("peak_reserved").at("bytes"));
  EXPECT_EQ(mapped.at("peak_requested_bytes"), plain.at("peak_requested_bytes"));
  EXPECT_EQ(device_of({"replay", "--json", training, "--gpu", "L4"}).at("memory_bytes"),
            (22560ULL - 400) << 20);
}

TEST_F(ReplayCommands, the_order_of_segments_decides_between_blocks_of_one_size) {
  const std::string tie = write("tie.vtrace.jsonl", program_with_a_tie);
  const auto peak_reserved = [&](const std::string& order) {
    const ProgramResult result = run_vramlab({"replay", tie, "--segments", order, "--json"});
    return json::parse(result.output)["devices"][0]["metrics"]["peak_reserved"];
  };
  EXPECT_EQ(peak_reserved("upwards"), 60 << 20);
  EXPECT_EQ(peak_reserved("downwards"), 40 << 20);
  EXPECT_EQ(peak_reserved("by-size"), 60 << 20);
}

TEST_F(ReplayCommands, the_backend_that_is_ordered_by_streams_is_tried_as_a_model) {
  const std::vector<std::string> arguments = {"replay", write("in.jsonl", trace), "--conf",
                                              "backend:cudaMallocAsync,max_split_size_mb:64"};
  const ProgramResult result = run_vramlab(arguments);
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("modelled after CUDA's documentation, not exact"));
  EXPECT_THAT(result.output, HasSubstr("the other options do nothing with it"));
  EXPECT_THAT(result.output, HasSubstr("peak reserved      32.00 MiB at event 0, after 0 ns\n"));
  EXPECT_THAT(result.output, HasSubstr("stream-ordered     1 requests from free memory"));
  std::vector<std::string> as_json = arguments;
  as_json.emplace_back("--json");
  const json pool = device_of(as_json).at("stream_ordered");
  EXPECT_EQ(pool.at("grown"), 1);
  EXPECT_EQ(pool.at("reused"), 1);
  EXPECT_EQ(device_of({"replay", "--json", training}).at("stream_ordered"), nullptr);
}

TEST_F(ReplayCommands, of_the_backend_ordered_by_streams_there_are_no_segments) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"snapshot", training},
        {"replay", training, "--timeline", in_folder("out.csv")}}) {
    std::vector<std::string> with_backend = arguments;
    with_backend.insert(with_backend.end(), {"--conf", "backend:cudaMallocAsync"});
    const ProgramResult result = run_vramlab(with_backend);
    EXPECT_EQ(result.exit_status, 2);
    EXPECT_THAT(result.errors, HasSubstr("expected the native backend"));
  }
}

TEST_F(ReplayCommands, metrics_agree_with_the_fields_of_old) {
  const ProgramResult result = run_vramlab({"replay", "--json", training});
  const json document = json::parse(result.output);
  const json& device = document.at("devices").at(0);
  const json& metrics = device.at("metrics");
  EXPECT_EQ(document.at("metrics"), metrics);
  EXPECT_EQ(metrics.at("peak_reserved"), device.at("peak_reserved").at("bytes"));
  EXPECT_EQ(metrics.at("peak_allocated"), device.at("peak_allocated").at("bytes"));
  EXPECT_EQ(metrics.at("peak_requested"), device.at("peak_requested_bytes"));
  EXPECT_EQ(metrics.at("peak_active"), device.at("peak_active_bytes"));
  EXPECT_EQ(metrics.at("end_reserved"), device.at("end").at("reserved_bytes"));
  for (const char* name : {"device_allocs", "device_frees", "units_mapped", "alloc_retries"})
    EXPECT_EQ(metrics.at(name), device.at(name)) << name;
}

TEST_F(ReplayCommands, too_little_memory_is_told_and_fails_if_asked) {
  const std::vector<std::string> little = {"replay", training, "--device-memory", "4GiB"};
  const ProgramResult told = run_vramlab(little);
  EXPECT_EQ(told.exit_status, 0);
  EXPECT_THAT(told.output, HasSubstr("stopped at an out-of-memory"));
  EXPECT_THAT(told.output, HasSubstr("which has 4.00 GiB in total"));
  std::vector<std::string> failing = little;
  failing.emplace_back("--fail-on-oom");
  EXPECT_EQ(run_vramlab(failing).exit_status, 1);
  failing.insert(failing.end(), {"--on-oom", "report", "--json"});
  const ProgramResult all = run_vramlab(failing);
  EXPECT_EQ(all.exit_status, 1);
  EXPECT_GT(json::parse(all.output).at("devices").at(0).at("out_of_memory").size(), 1U);
}

TEST_F(ReplayCommands, what_would_have_helped_is_found_without_reading_the_file_for_each_try) {
  const std::string program_file = in_folder("out.vtrace");
  std::filesystem::copy_file(training, program_file);
  const std::string recording = in_folder("out.pickle");
  ASSERT_EQ(run_vramlab({"replay", training, "--snapshot-out", recording}).exit_status, 0);
  for (const std::string& file : {program_file, recording}) {
    const OpenCounter opened(file);
    const ProgramResult result =
        run_vramlab({"replay", file, "--device-memory", "4GiB", "--on-oom", "report"});
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    EXPECT_THAT(result.output, HasSubstr("found by replaying"));
    EXPECT_LE(opened.count(), 3U) << file;
    EXPECT_EQ(run_vramlab({"snapshot", file, "--device-memory", "4GiB", "--at", "oom"}).exit_status,
              0);
    EXPECT_LE(opened.count(), 3U) << file;
  }
}

TEST_F(ReplayCommands, wrong_usage_and_bad_input_exit_with_2_and_one_line) {
  const std::string file = write("in.jsonl", trace);
  const std::vector<std::vector<std::string>> wrong = {
      {"replay", file, "--conf", "max_split_size_mb:x"},
      {"replay", file, "--gpu", "abacus"},
      {"replay", file, "--memory-fraction", "1.5"},
      {"replay", file, "--reference", "0.1"},
      {"replay", file, "--snapshot-out", in_folder("out.pickle"), "--snapshot-at", "noon"},
      {"snapshot", file, "--at", "oom"},
      {"replay", write("2.jsonl", trace + "{\"free\":1}\n")}};
  for (const auto& arguments : wrong) {
    const ProgramResult result = run_vramlab(arguments);
    EXPECT_EQ(result.exit_status, 2) << arguments.back();
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
    EXPECT_EQ(result.output, "");
  }
}

TEST_F(ReplayCommands, the_timeline_has_a_line_for_each_change) {
  const std::string out = in_folder("out.csv");
  EXPECT_EQ(run_vramlab({"replay", write("in.jsonl", trace), "--timeline", out}).exit_status, 0);
  EXPECT_EQ(content_of(out),
            "event,time_ns,device,requested_bytes,allocated_bytes,active_bytes,reserved_bytes\n"
            "0,5000,0,3145728,3145728,3145728,20971520\n"
            "1,6000,0,3146728,3146752,3146752,23068672\n"
            "3,7000,0,1000,1024,1024,23068672\n");
  EXPECT_EQ(run_vramlab({"replay", write("2.jsonl", trace), "--timeline", out}).exit_status, 2);
}

TEST_F(ReplayCommands, a_snapshot_of_a_replay_is_a_recording_that_verifies) {
  for (const char* conf : {"", "expandable_segments:True", "max_split_size_mb:64"})
    for (const char* at : {"peak", "end", "2500"}) {
      SCOPED_TRACE(std::string(conf) + " " + at);
      const std::string out = in_folder(std::string(at) + conf + ".pickle");
      const ProgramResult made = run_vramlab(
          {"replay", training, "--conf", conf, "--snapshot-out", out, "--snapshot-at", at, "-q"});
      ASSERT_EQ(made.exit_status, 0) << made.errors;
      const ProgramResult verified = run_vramlab({"verify", out, "--require", "exact"});
      EXPECT_EQ(verified.exit_status, 0) << verified.output;
    }
}

TEST_F(ReplayCommands, snapshot_draws_the_segments) {
  const ProgramResult result = run_vramlab({"snapshot", write("in.jsonl", trace), "--at", "1"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_THAT(result.output,
              HasSubstr("device 0: 22.00 MiB reserved in 2 segments, 4 blocks\n"
                        "  3.00 MiB allocated, 0 bytes waiting, 19.00 MiB free "
                        "(largest block 17.00 MiB)\n"
                        "  releasing the cache would return 0 bytes; 19.00 MiB would stay, "
                        "stranded beside live blocks\n"
                        "  3.00 MiB requested, 24 bytes lost to rounding; 19.00 MiB free in split "
                        "segments\n"
                        "  largest request that would succeed: 17.00 MiB in memory that is cached\n"
                        "  external fragmentation 10.5 %; "));
  EXPECT_THAT(result.output, HasSubstr("  0x7f0000000000  20.00 MiB  #######"));
  const json document =
      json::parse(run_vramlab({"snapshot", write("2.jsonl", trace), "--at", "1", "--json"}).output);
  const json& segments = document.at("devices").at(0).at("segments");
  ASSERT_EQ(segments.size(), 2U);
  EXPECT_EQ(segments.at(0).at("blocks").at(0).at("bytes"), 3 << 20);
  EXPECT_EQ(segments.at(1).at("stream"), 9);
}

TEST_F(ReplayCommands, snapshot_shows_a_final_state_without_history) {
  const std::string file = write("in.json", R"([{"device": 0, "address": 4096, "total_size": 2048,
      "stream": 0, "segment_type": "small", "blocks": [
      {"address": 4096, "size": 1024, "state": "active_allocated"},
      {"address": 5120, "size": 1024, "state": "inactive"}]}])");
  const ProgramResult result = run_vramlab({"snapshot", file});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_THAT(result.output,
              HasSubstr("########################........................  small, stream 0"));
  EXPECT_EQ(run_vramlab({"replay", file}).exit_status, 2);
}

}  // namespace
}  // namespace vramlab::tests
