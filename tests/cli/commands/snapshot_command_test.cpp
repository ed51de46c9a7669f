// `vramlab snapshot` from outside: moments by time, devices, and out-of-memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/kit/command_test.h"

namespace vramlab::tests {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// The output of the program, with samples named without their folder.
std::string output_of(const std::string& sample, std::vector<std::string> options,
                      const char* command = "snapshot") {
  options.insert(options.begin(), {command, samples + sample});
  const ProgramResult result = run_vramlab(std::move(options));
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  std::string output = result.output;
  for (std::size_t at = 0; (at = output.find(samples, at)) != std::string::npos;)
    output.erase(at, samples.size());
  return output;
}

json json_of(const std::string& sample, std::vector<std::string> options) {
  options.emplace_back("--json");
  return json::parse(output_of(sample, std::move(options)));
}

TEST(SnapshotCommand, a_time_is_the_last_event_that_is_not_later) {
  const json at_event = json_of("training.vtrace", {"--at", "1000"});
  const std::uint64_t first =
      json_of("training.vtrace", {"--at", "0"}).at("devices").at(0).at("time_ns");
  const std::uint64_t then = at_event.at("devices").at(0).at("time_ns");
  const std::string time = std::to_string(then - first) + "ns";
  for (const std::string& at : {time, "time:" + time}) {
    const json device = json_of("training.vtrace", {"--at", at}).at("devices").at(0);
    EXPECT_EQ(device.at("time_ns"), then);
    EXPECT_GE(device.at("event"), 1000);
    const std::string event = std::to_string(device.at("event").get<std::uint64_t>());
    EXPECT_EQ(device, json_of("training.vtrace", {"--at", event}).at("devices").at(0));
  }
}

TEST(SnapshotCommand, all_devices_together_are_what_one_device_is) {
  const json document = json_of("training.vtrace", {"--at", "peak"});
  EXPECT_EQ(document.at("metrics"), document.at("devices").at(0).at("metrics"));
  EXPECT_EQ(json_of("training.vtrace", {"--at", "peak", "--device", "0"}), document);
}

TEST(SnapshotCommand, each_device_of_a_program_is_shown_at_its_own_peak) {
  const std::string file = support::own_folder() + "snapshot_test_two_devices.jsonl";
  std::ofstream(file) << "{\"format\":\"vramlab-trace\",\"version\":1}\n"
                         "{\"malloc\":1,\"bytes\":3145728}\n"
                         "{\"free\":1}\n"
                         "{\"malloc\":2,\"bytes\":1000}\n"
                         "{\"malloc\":3,\"bytes\":31457280,\"device\":1}\n"
                         "{\"free\":2}\n"
                         "{\"free\":3,\"device\":1}\n";
  const ProgramResult result = run_vramlab({"snapshot", file, "--at", "peak", "--json"});
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  const json devices = json::parse(result.output).at("devices");
  EXPECT_EQ(devices.at(0).at("allocated_bytes"), 3 << 20);
  EXPECT_EQ(devices.at(1).at("allocated_bytes"), 30 << 20);
  EXPECT_EQ(json::parse(result.output).at("metrics").at("allocated"), 33 << 20);
}

TEST(SnapshotCommand, figures_of_the_json_agree_with_its_blocks) {
  const json device = json_of("fragments.vtrace", {"--at", "peak"}).at("devices").at(0);
  std::map<std::string, std::uint64_t> bytes;
  std::uint64_t holes = 0;
  for (const json& segment : device.at("segments"))
    for (const json& block : segment.at("blocks")) {
      bytes[block.at("state")] += block.at("bytes").get<std::uint64_t>();
      if (block.at("state") == "inactive") ++holes;
    }
  const json& metrics = device.at("metrics");
  EXPECT_EQ(metrics.at("allocated"), bytes["active_allocated"]);
  EXPECT_EQ(metrics.at("free"), bytes["inactive"]);
  EXPECT_EQ(metrics.at("holes"), holes);
  std::uint64_t in_classes = 0;
  for (const json& of : device.at("holes")) in_classes += of.at("bytes").get<std::uint64_t>();
  EXPECT_EQ(metrics.at("free"), in_classes);
}

TEST(SnapshotCommand, what_it_says_would_pass_does_and_a_step_less_does_not) {
  const json document = json_of("fragments.vtrace", {"--at", "oom", "--device-memory", "1GiB"});
  const json& told = document.at("out_of_memory").at(0);
  const std::uint64_t least = told.at("least_memory_bytes");
  const auto first_failure = [](std::uint64_t memory, const std::string& options) {
    std::vector<std::string> arguments = {"--json", "--device-memory", std::to_string(memory)};
    if (!options.empty()) arguments.insert(arguments.end(), {"--conf", options});
    const json report = json::parse(output_of("fragments.vtrace", arguments, "replay"));
    const json& stopped = report.at("stopped_at");
    return stopped.is_null() ? UINT64_MAX : stopped.get<std::uint64_t>();
  };
  EXPECT_GT(first_failure(least, ""), told.at("event").get<std::uint64_t>());
  EXPECT_EQ(first_failure(least - (2 << 20), ""), told.at("event").get<std::uint64_t>());
  ASSERT_FALSE(told.at("tried").empty());
  for (const json& tried : told.at("tried")) {
    const std::uint64_t failure = first_failure(1 << 30, tried.at("added_options"));
    EXPECT_EQ(failure > told.at("event").get<std::uint64_t>(), tried.at("passes")) << tried;
    EXPECT_EQ(failure == UINT64_MAX, tried.at("runs_through")) << tried;
  }
}

TEST(SnapshotCommand, quick_tries_nothing) {
  const json document =
      json_of("fragments.vtrace", {"--at", "oom", "--device-memory", "1GiB", "--quick"});
  EXPECT_TRUE(document.at("out_of_memory").at(0).at("tried").empty());
  EXPECT_EQ(document.at("out_of_memory").at(0).at("least_memory_bytes"), nullptr);
}

TEST(SnapshotCommand, a_replay_tells_the_same_story) {
  const std::vector<std::string> less = {"--device-memory", "1GiB", "--json"};
  std::vector<std::string> snapshot = less;
  snapshot.insert(snapshot.end(), {"--at", "oom"});
  std::vector<std::string> replay = less;
  replay.insert(replay.end(), {"--on-oom", "report"});
  EXPECT_EQ(json::parse(output_of("fragments.vtrace", replay, "replay")).at("out_of_memory"),
            json::parse(output_of("fragments.vtrace", snapshot)).at("out_of_memory"));
}

TEST(SnapshotCommand, a_device_or_a_time_that_is_not_there_exits_with_2) {
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--device", "7"}, {"--at", "12 parsecs"}, {"--at", "-3ms"}}) {
    std::vector<std::string> arguments = {"snapshot", training};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const ProgramResult result = run_vramlab(arguments);
    EXPECT_EQ(result.exit_status, 2);
    EXPECT_EQ(result.output, "");
  }
}

/// Device 0 has an address that no allocator gives, device 1 a request that failed.
TEST(SnapshotCommand, a_failure_is_shown_where_another_device_cannot_be_replayed) {
  const std::string file = support::own_folder() + "snapshot_test_one_broken_device.json";
  std::ofstream(file) << R"({"segments": [], "device_traces": [
      [{"action": "alloc", "addr": 139637976727553, "size": 100, "stream": 0}],
      [{"action": "oom", "device_free": 1048576, "size": 4194304, "stream": 0}]]})";
  const ProgramResult result = run_vramlab({"snapshot", file, "--at", "oom"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("nothing that would have helped was looked for"));
  EXPECT_THAT(result.output, HasSubstr("4.00 MiB"));
}

}  // namespace
}  // namespace vramlab::tests
