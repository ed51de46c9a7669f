// Frees for which a refused request waited, from outside: the request looked for a block before
// they completed. A replay waits as the recorded run did, and answers for a larger device do not
// take their blocks for free.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/kit/command_test.h"

namespace vramlab::tests {
namespace {

using nlohmann::json;

constexpr std::uint64_t awaited_mib = std::uint64_t{1} << 20;
constexpr std::uint64_t first_address = 0x600000000000;

/// Writes a snapshot's history of one device, each event with a stack that is a line.
class Events {
 public:
  void add(const char* action, std::uint64_t at, std::uint64_t size, int line) {
    events_.push_back({{"action", action},
                       {"addr", first_address + at * awaited_mib},
                       {"size", size * awaited_mib},
                       {"stream", 0},
                       {"time_us", 1000 + 10 * events_.size()},
                       {"frames", {{{"filename", "run.py"}, {"line", line}, {"name", "step"}}}}});
  }
  /// `ends`: address and size, in MiB, of the segments at the end, each with one block in use.
  std::string text(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& ends) const {
    json segments = json::array();
    for (const auto& [at, size] : ends)
      segments.push_back({{"device", 0},
                          {"address", first_address + at * awaited_mib},
                          {"total_size", size * awaited_mib},
                          {"allocated_size", size * awaited_mib},
                          {"active_size", size * awaited_mib},
                          {"requested_size", size * awaited_mib},
                          {"stream", 0},
                          {"segment_type", "large"},
                          {"segment_pool_id", {0, 0}},
                          {"is_expandable", false},
                          {"blocks",
                           {{{"address", first_address + at * awaited_mib},
                             {"size", size * awaited_mib},
                             {"requested_size", size * awaited_mib},
                             {"state", "active_allocated"}}}}});
    return json{{"segments", segments}, {"device_traces", {events_}}}.dump();
  }

 private:
  json events_ = json::array();
};

class AwaitedFrees : public FolderTest {
 protected:
  /// 40 MiB are freed and wait; a request of 30 MiB is refused, waits for them and gets the memory.
  /// With `between` something is asked for meanwhile.
  std::string recording(bool between) {
    Events events;
    events.add("segment_alloc", 0, 40, 1);
    events.add("alloc", 0, 40, 1);
    events.add("free_requested", 0, 40, 2);
    if (between) {
      events.add("segment_alloc", 40, 20, 3);
      events.add("alloc", 40, 20, 3);
    }
    events.add("free_completed", 0, 40, 4);
    events.add("segment_free", 0, 40, 4);
    events.add("segment_alloc", 0, 30, 4);
    events.add("alloc", 0, 30, 4);
    if (between) return write("file.json", events.text({{0, 30}, {40, 20}}));
    return write("file.json", events.text({{0, 30}}));
  }
  static json replayed(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"replay", "--json"});
    const ProgramResult result = run_vramlab(std::move(arguments));
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    return json::parse(result.output);
  }
};

TEST_F(AwaitedFrees, are_told_from_an_emptied_cache_by_the_stack) {
  const ProgramResult verified = run_vramlab({"verify", "--json", recording(false)});
  const json device = json::parse(verified.output)["files"][0]["devices"][0];
  EXPECT_EQ(device["label"], "exact");
  EXPECT_EQ(device["inferred"]["awaited_frees"], 1);
  EXPECT_EQ(device["inferred"]["emptied_caches"], 0);
}

TEST_F(AwaitedFrees, wait_in_a_replay_as_recorded_too) {
  for (const bool between : {false, true}) {
    const json metrics = replayed({recording(between)})["metrics"];
    EXPECT_EQ(metrics["alloc_retries"], 1);
    EXPECT_EQ(metrics["device_frees"], 1);
    EXPECT_EQ(metrics["device_allocs"], between ? 3 : 2);
  }
}

TEST_F(AwaitedFrees, are_no_free_blocks_of_a_larger_device) {
  const std::string file = recording(true);
  const json answer = replayed({file, "--device-memory", "1GiB"});
  EXPECT_EQ(answer["metrics"]["peak_reserved"], 90 * awaited_mib);
  EXPECT_NE(answer["notes"].dump().find("1 free was awaited by a refused request"),
            std::string::npos)
      << answer["notes"];
  // The 40 MiB serve the request between, and what is left of them is too little for 30.
  const json eager = replayed({file, "--device-memory", "1GiB", "--frees", "eager"});
  EXPECT_EQ(eager["metrics"]["peak_reserved"], 70 * awaited_mib);
}

}  // namespace
}  // namespace vramlab::tests
