// Pinned host memory in the output of commands: of a program with events about it, and of a
// recording with its sections.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/kit/command_test.h"

namespace vramlab::tests {
namespace {

using nlohmann::json;
using testing::HasSubstr;

const std::string loader = samples + "dataloader.vtrace.jsonl";

class HostMemory : public FolderTest {
 protected:
  /// One block that is held, one that is cached, and their history; and a small history of a
  /// device.
  std::string recording(const std::string& settings = {}, int size = 1024) const {
    const std::string path = folder + "/host.vtrace.jsonl";
    std::ofstream(path)
        << "{\"format\":\"vramlab-trace\",\"version\":1,\"has_end\":true}\n"
        << "{\"section\":\"segments\"}\n{\"section\":\"device_traces\"}\n{\"trace\":0}\n"
        << "{\"entry\":{\"action\":\"segment_alloc\",\"addr\":4096,\"size\":2097152,\"stream\":0,"
           "\"time_us\":1}}\n"
        << "{\"entry\":{\"action\":\"alloc\",\"addr\":4096,\"size\":512,\"stream\":0,\"time_us\":2}"
           "}\n"
        << "{\"unknown_section\":[" << segment(8192, size, "active_allocated") << ","
        << segment(16384, 4194304, "inactive") << "],\"key\":\"host_segments\"}\n"
        << "{\"unknown_section\":[" << entry("segment_alloc", 8192, size) << ","
        << entry("alloc", 8192, size) << "," << entry("segment_alloc", 16384, 4194304) << ","
        << entry("alloc", 16384, 4194304) << "," << entry("free_requested", 16384, 4194304) << ","
        << entry("free_completed", 16384, 4194304) << "],\"key\":\"host_traces\"}\n"
        << settings << "{\"end\":true}\n";
    return path;
  }
  static std::string segment(int address, int size, const std::string& state) {
    return "{\"device\":-1,\"address\":" + std::to_string(address) +
           ",\"total_size\":" + std::to_string(size) + ",\"blocks\":[{\"state\":\"" + state +
           "\",\"frames\":[]}]}";
  }
  static std::string entry(const std::string& action, int address, int size) {
    return "{\"action\":\"" + action + "\",\"addr\":" + std::to_string(address) +
           ",\"size\":" + std::to_string(size) +
           ",\"stream\":0,\"time_us\":5,\"frames\":[{\"name\":\"pin\",\"filename\":\"load.py\","
           "\"line\":7}]}";
  }
};

TEST_F(HostMemory, alone_in_a_snapshot_is_shown_and_is_no_memory_of_a_device) {
  const std::string file =
      write("alone.json", "{\"host_segments\":[" + segment(8192, 1024, "active_allocated") +
                              "],\"host_traces\":[" + entry("segment_alloc", 8192, 1024) + "," +
                              entry("alloc", 8192, 1024) + "]}");
  const json host = run_json({"snapshot", "--host", file}).at("host");
  EXPECT_EQ(host.at("blocks").size(), 1U);
  for (const char* const command : {"snapshot", "explain", "replay"})
    expect_refused({command, file}, "found a dict with 'host_segments'");
}

TEST_F(HostMemory, of_a_program_is_shown_by_top) {
  const json document = run_json({"top", "--host", loader});
  EXPECT_EQ(document.at("memory"), "host");
  EXPECT_EQ(document.at("devices").at(0).at("groups").at(0).at("key"), "train.py:118 main");
  EXPECT_THAT(run_vramlab({"top", "--host", loader}).output,
              HasSubstr("\npinned host memory at the peak"));
}

TEST_F(HostMemory, of_a_recording_is_counted_by_info) {
  const json file = run_json({"info", recording()}).at("files").at(0);
  EXPECT_EQ(file.at("unknown_keys"), json::array());
  const json& host = file.at("host");
  EXPECT_EQ(host.at("events"), 6);
  EXPECT_EQ(host.at("segments").at("blocks"), 2);
  EXPECT_EQ(host.at("segments").at("reserved_bytes"), 4195328);
  EXPECT_EQ(host.at("segments").at("active_bytes"), 1024);
  EXPECT_EQ(host.at("peak_reserved_bytes"), 4195328);
  EXPECT_THAT(run_vramlab({"info", recording()}).output, HasSubstr("\npinned host memory\n"));
}

TEST_F(HostMemory, from_before_a_recording_may_be_in_tiny_blocks) {
  std::ofstream(folder + "/tiny.vtrace.jsonl")
      << "{\"format\":\"vramlab-trace\",\"version\":1,\"has_end\":true}\n{\"unknown_section\":["
      << entry("free_requested", 8192, 4) << "," << entry("free_completed", 8192, 4)
      << "],\"key\":\"host_traces\"}\n{\"unknown_section\":[" << segment(8192, 4, "inactive")
      << "],\"key\":\"host_segments\"}\n{\"end\":true}\n";
  const json host = run_json({"snapshot", "--host", folder + "/tiny.vtrace.jsonl"}).at("host");
  EXPECT_EQ(host.at("pinned_bytes"), 4);
}

TEST_F(HostMemory, of_a_recording_is_active_until_frees_complete) {
  std::ofstream(folder + "/waits.vtrace.jsonl")
      << "{\"format\":\"vramlab-trace\",\"version\":1,\"has_end\":true}\n{\"unknown_section\":["
      << entry("alloc", 8192, 1024) << "," << entry("free_requested", 8192, 1024) << ","
      << entry("alloc", 16384, 512) << "," << entry("free_completed", 8192, 1024)
      << "],\"key\":\"host_traces\"}\n{\"unknown_section\":["
      << segment(16384, 512, "active_allocated") << "," << segment(8192, 1024, "inactive")
      << "],\"key\":\"host_segments\"}\n{\"end\":true}\n";
  const json file = run_json({"info", folder + "/waits.vtrace.jsonl"}).at("files").at(0);
  EXPECT_EQ(file.at("host").at("peak_allocated_bytes"), 1024);
  EXPECT_EQ(file.at("host").at("peak_active_bytes"), 1536);
}

TEST_F(HostMemory, of_a_recording_is_shown_by_top) {
  EXPECT_THAT(run_vramlab({"top", "--host", "--at", "end", recording()}).output,
              testing::AllOf(HasSubstr("1.00 KiB in 1 block; recordings have the sizes of blocks"),
                             HasSubstr("load.py:7 pin")));
}

TEST_F(HostMemory, of_a_recording_is_shown_at_a_moment_by_snapshot) {
  const json end = run_json({"snapshot", "--host", recording()}).at("host");
  EXPECT_EQ(end.at("pinned_bytes"), 4195328);
  EXPECT_EQ(end.at("allocated_bytes"), 1024);
  EXPECT_EQ(end.at("blocks").size(), 2);
  EXPECT_EQ(end.at("blocks").at(0).at("call_site"), "load.py:7 pin");
  EXPECT_EQ(end.at("blocks").at(1).at("state"), "inactive");
  const json before = run_json({"snapshot", "--host", "--at", "1", recording()}).at("host");
  EXPECT_EQ(before.at("pinned_bytes"), 1024);
  const json freed = run_json({"snapshot", "--host", "--at", "4", recording()}).at("host");
  EXPECT_EQ(freed.at("pinned_bytes"), 4195328);
  EXPECT_THAT(run_vramlab({"snapshot", "--host", "--at", "peak", recording()}).output,
              testing::AllOf(HasSubstr("4.00 MiB pinned in 2 blocks"),
                             HasSubstr("4.00 MiB  in use    load.py:7 pin")));
}

TEST_F(HostMemory, of_a_program_is_shown_at_a_moment_by_snapshot) {
  const json figures = run_json({"replay", loader}).at("host");
  const json peak = run_json({"snapshot", "--host", "--at", "peak", loader}).at("host");
  const json holders = run_json({"top", "--host", loader}).at("devices").at(0);
  EXPECT_EQ(peak.at("allocated_bytes"), holders.at("bytes"));
  const json end = run_json({"snapshot", "--host", loader}).at("host");
  EXPECT_EQ(end.at("pinned_bytes"), figures.at("end_pinned_bytes"));
  EXPECT_EQ(
      end.at("allocated_bytes").get<std::uint64_t>() + end.at("waiting_bytes").get<std::uint64_t>(),
      figures.at("end_active_bytes"));
  const std::string event = std::to_string(figures.at("peak_pinned").at("event").get<int>());
  EXPECT_EQ(run_json({"snapshot", "--host", "--at", event, loader}).at("host").at("pinned_bytes"),
            figures.at("peak_pinned").at("bytes"));
}

TEST_F(HostMemory, of_two_recordings_is_compared_by_diff) {
  const json same = run_json({"diff", recording(), recording()});
  EXPECT_EQ(same.at("changes").at("host_peak_pinned").at("base"), 4195328);
  EXPECT_EQ(same.at("changes").at("host_peak_active").at("new"), 4195328);
  EXPECT_EQ(same.at("same"), true);
  const json host = run_json({"diff", "--host", recording(), loader});
  EXPECT_EQ(host.at("changes").count("peak_reserved"), 0);
  EXPECT_EQ(host.at("changes").at("host_allocs").at("base"), 2);
  EXPECT_EQ(host.at("changes").at("host_allocs").at("new"), 23);
  EXPECT_EQ(host.at("groups").at(0).at("group"), "train.py:118 main");
  EXPECT_THAT(run_vramlab({"diff", "--host", "--at", "end", recording(), recording()}).output,
              HasSubstr("the same 6 events"));
}

TEST_F(HostMemory, of_a_file_without_any_is_refused_by_snapshot) {
  expect_refused({"snapshot", "--host", samples + "leak.vtrace"},
                 "about pinned host memory, found none");
}

TEST_F(HostMemory, whose_requests_are_recorded_is_rounded_by_a_replay) {
  const std::string text =
      "{\"settings\":{\"PYTORCH_CUDA_ALLOC_CONF\":"
      "\"pinned_max_cached_size_mb:0\",\"max_round_threshold\":-1}}\n";
  const json document = run_json({"replay", recording(text, 1000), "--conf", ""});
  EXPECT_EQ(document.at("host").at("peak_requested").at("bytes"), 4195304);
  EXPECT_EQ(document.at("host").at("peak_pinned").at("bytes"), 4195328);
  EXPECT_THAT(document.at("notes").dump(), HasSubstr("nothing was cached when this was recorded"));
}

TEST_F(HostMemory, whose_options_a_recording_s_own_version_knows_needs_no_reference) {
  const std::string newer = "{\"settings\":{\"max_round_threshold\":-1}}\n";
  const json document =
      run_json({"replay", recording(newer), "--conf", "pinned_max_cached_size_mb:1"});
  EXPECT_EQ(document.at("reference"), "2.15");
  EXPECT_EQ(document.at("host").at("end_pinned_bytes"), 1024);
}

TEST_F(HostMemory, whose_options_a_version_does_not_know_names_one_that_does) {
  expect_refused({"replay", loader, "--conf", "pinned_max_cached_size_mb:1"},
                 "there is no option 'pinned_max_cached_size_mb'; PyTorch 2.13 has it "
                 "(--reference 2.13)");
  expect_refused({"sweep", leak, "large_segment_size_mb=64"},
                 "found 'large_segment_size_mb'; PyTorch 2.12 has it (--reference 2.12)");
}

TEST_F(HostMemory, of_a_recording_is_replayed_with_its_blocks_and_said_to_be_modelled) {
  const json document = run_json(
      {"replay", recording(), "--reference", "2.14", "--conf", "pinned_max_cached_size_mb:1"});
  EXPECT_EQ(document.at("host").at("peak_pinned").at("bytes"), 4195328);
  EXPECT_EQ(document.at("host").at("end_pinned_bytes"), 1024);
  EXPECT_EQ(document.at("metrics").at("host_releases"), 1);
  EXPECT_THAT(document.at("notes").dump(), HasSubstr("pinned memory is modelled"));
}

}  // namespace
}  // namespace vramlab::tests
