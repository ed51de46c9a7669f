// Figures of a replay under the recorded options and memory are the file's own, in every recording
// that is followed exactly.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/kit/command_test.h"

namespace vramlab::tests {
namespace {

namespace fs = std::filesystem;

using nlohmann::json;

std::vector<std::string> recordings_in(const std::string& folder) {
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (entry.path().string().ends_with(".pickle.gz")) files.push_back(entry.path().string());
  std::ranges::sort(files);
  return files;
}

std::vector<std::string> all_recordings() {
  std::vector<std::string> files = recordings_in(support::source_dir() + "/tests/truth");
  std::ranges::copy(recordings_in(samples), std::back_inserter(files));
  return files;
}

void expect_same(const json& device, const json& replayed) {
  const json& counts = device.at("events_by_action");
  const auto count = [&counts](const char* action) { return counts.value(action, 0); };
  EXPECT_EQ(replayed.at("device_allocs"), count("segment_alloc"));
  EXPECT_EQ(replayed.at("device_frees"), count("segment_free"));
  EXPECT_EQ(replayed.at("out_of_memory").size(), count("oom"));
  EXPECT_EQ(replayed.at("requests"), count("alloc") + count("oom"));
  EXPECT_EQ(replayed.at("units_mapped") > 0, count("segment_map") > 0);
  EXPECT_EQ(replayed.at("peak_reserved").at("bytes"), device.at("peak_reserved_bytes"));
  EXPECT_EQ(replayed.at("peak_requested_bytes"), device.at("peak_requested_bytes"));
  const json& segments = device.at("segments");
  EXPECT_EQ(replayed.at("end").at("segments").get<int>(),
            segments.at("count").get<int>() - segments.at("expandable").get<int>());
  EXPECT_EQ(replayed.at("end").at("reserved_bytes"), device.at("segments").at("reserved_bytes"));
  EXPECT_EQ(replayed.at("depends_from"), nullptr);
}

// A recording that ends with a failure has nothing to go on with.
void expect_followed_to_its_end(const json& info, const json& replay) {
  if (replay.at("stopped_at").is_null()) return;
  int events = 0;
  for (const json& device : info.at("devices"))
    for (const auto& count : device.at("events_by_action").items())
      events += count.value().get<int>();
  EXPECT_EQ(replay.at("stopped_at"), events - 1);
}

class RecordedFigures : public testing::TestWithParam<std::string> {};

TEST_P(RecordedFigures, are_those_of_a_replay_under_the_recorded_options) {
  const json verified = run_json({"verify", GetParam()}).at("files").at(0);
  if (verified.at("label") != "exact") GTEST_SKIP() << "not followed exactly";
  const json info = run_json({"info", GetParam()}).at("files").at(0);
  const json replay = run_json({"replay", GetParam()});
  ASSERT_EQ(replay.at("devices").size(), info.at("devices").size());
  expect_followed_to_its_end(info, replay);
  for (std::size_t i = 0; i < info.at("devices").size(); ++i)
    expect_same(info.at("devices").at(i), replay.at("devices").at(i));
}

INSTANTIATE_TEST_SUITE_P(All, RecordedFigures, testing::ValuesIn(all_recordings()),
                         [](const auto& instance) {
                           std::string name = fs::path(instance.param).filename().string();
                           std::ranges::replace_if(
                               name, [](unsigned char one) { return std::isalnum(one) == 0; }, '_');
                           return name;
                         });

/// A recording in which requests fail and the program goes on.
const std::string caught = support::source_dir() + "/tests/truth/chunks_4.pickle.gz";

/// PyTorch 2.6.0 made it; the figures are of its own counters.
TEST(EndedPool, gives_its_addresses_to_the_next_one) {
  const json metrics =
      run_json({"replay", support::source_dir() + "/tests/traces/samples/pool_again.pickle.gz",
                "--device-memory", "84987084800"})
          .at("metrics");
  EXPECT_EQ(metrics.at("peak_reserved"), 253755392);
  EXPECT_EQ(metrics.at("end_reserved"), 109051904);
  EXPECT_EQ(metrics.at("peak_allocated"), 209010176);
}

TEST(CaughtFailure, is_judged_both_ways_by_capacity) {
  const json row = run_json({"capacity", caught, "--replays-above", "1000"}).at("rows").at(0);
  const std::uint64_t went_on = row.at("least_as_it_went_on_bytes");
  const std::uint64_t granted = row.at("least_bytes");
  EXPECT_LE(went_on, granted);
  const auto replayed_on = [](std::uint64_t bytes) {
    return run_json({"replay", caught, "--device-memory", std::to_string(bytes)});
  };
  EXPECT_EQ(replayed_on(went_on).at("stopped_at"), nullptr);
  const std::uint64_t granule = 2U << 20;
  EXPECT_NE(replayed_on(went_on - granule).at("stopped_at"), nullptr);
  const json passes = replayed_on(granted);
  EXPECT_EQ(passes.at("metrics").at("out_of_memory"), 0);
  EXPECT_NE(passes.at("devices").at(0).at("depends_from"), nullptr);
}

TEST(CaughtFailure, is_judged_by_advise_which_says_how) {
  const std::string as_it_went_on = run_vramlab({"advise", caught}).output;
  EXPECT_THAT(as_it_went_on, testing::HasSubstr("judged by"));
  const json advice = run_json({"advise", caught, "--device-memory", "200GiB"});
  EXPECT_NE(advice.at("best").at("depends_from"), nullptr);
  EXPECT_THAT(run_vramlab({"advise", caught, "--device-memory", "200GiB"}).output,
              testing::HasSubstr("depends on what the program does"));
}

TEST(CaughtFailure, that_passes_is_held_at_the_peak_which_explain_says) {
  const std::vector<std::string> question = {"explain", caught, "--device-memory", "200GiB"};
  const json answer = run_json(question).at("answer");
  EXPECT_EQ(answer.at("held_bytes"), answer.at("metrics").at("peak_allocated"));
  EXPECT_THAT(run_vramlab(question).output,
              testing::ContainsRegex("certainty          exact up to event [0-9]+; what follows"));
}

}  // namespace
}  // namespace vramlab::tests
