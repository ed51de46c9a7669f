// A program in memory gives the figures of a replay of its file: samples and recordings, under many
// settings, on small and large devices.
#include <gtest/gtest.h>

#include <filesystem>

#include "replay/metrics/fragmentation.h"
#include "replay/replayer/device_replay.h"
#include "replay/replayer/replayer.h"
#include "replay/settings_search/sweep.h"
#include "tests/support/kit/command_test.h"
#include "tests/support/recordings/replayed.h"

namespace vramlab::tests {
namespace {

namespace fs = std::filesystem;

using replay::FreeTiming;
using replay::ReplayConditions;
using replay::SweepFigures;

const char* const sample_names[] = {"dataloader.vtrace.jsonl",
                                    "diffusion.vtrace",
                                    "experts.vtrace",
                                    "fragments.vtrace",
                                    "graphs.vtrace.jsonl",
                                    "leak.vtrace",
                                    "missing_record_stream.vtrace.jsonl",
                                    "overlap.vtrace.jsonl",
                                    "overused_record_stream.vtrace.jsonl",
                                    "recompute.vtrace",
                                    "serving.vtrace.jsonl",
                                    "training.vtrace"};

const char* const options[] = {"",
                               "expandable_segments:True",
                               "max_split_size_mb:32",
                               "roundup_power2_divisions:[4:2,64:8,>:4]",
                               "max_split_size_mb:64,garbage_collection_threshold:0.7",
                               "expandable_segments:True,roundup_power2_divisions:4"};

SweepFigures replayed(const std::string& path, const ReplayConditions& conditions) {
  const tests::Replayed source(path,
                               {.version = conditions.version, .passes = replay::Passes::one});
  return figures_of(path, source.run(conditions));
}

/// Limits: the memory needed without a limit, two thirds of it, and smaller shares.
std::vector<ReplayConditions> conditions_for(const std::string& path) {
  const auto peak =
      static_cast<std::uint64_t>(value_of(replayed(path, {}).metrics, "peak_reserved"));
  std::vector<ReplayConditions> all(1);
  for (const char* conf : options) {
    ReplayConditions conditions;
    conditions.options = conf;
    all.push_back(conditions);
    conditions.memory = Bytes{peak / 3 * 2};
    all.push_back(conditions);
    conditions.on_out_of_memory = replay::OnOutOfMemory::skip;
    all.push_back(conditions);
    conditions.memory = Bytes{peak * 2};
    conditions.memory_fraction = 0.45;
    all.push_back(conditions);
  }
  for (const FreeTiming timing : {FreeTiming::eager, FreeTiming::recorded, FreeTiming::modelled}) {
    ReplayConditions conditions;
    conditions.timing = timing;
    all.push_back(conditions);
    conditions.options = "max_split_size_mb:32";
    all.push_back(conditions);
  }
  ReplayConditions ordered;
  ordered.options = "backend:cudaMallocAsync";
  all.push_back(ordered);
  return all;
}

/// The pool that is ordered by streams has no captures.
bool is_refused(const std::string& path, const ReplayConditions& conditions) {
  return conditions.options == "backend:cudaMallocAsync" &&
         path.find("graphs") != std::string::npos;
}

/// With this limit nearly all of a sample goes to files.
traces::ScratchPlace small_place() {
  return {.folder = support::own_folder(), .most_bytes_in_memory = 4096, .chunk_bytes = 1024};
}

void expect_the_figures_of_replays(const std::string& path) {
  const tests::Replayed loaded(path, {.scratch = small_place()});
  for (const ReplayConditions& conditions : conditions_for(path)) {
    if (is_refused(path, conditions)) continue;
    SweepFigures of_replay = replayed(path, conditions);
    const std::string& file = loaded.replayer().file();
    of_replay.file = file;
    EXPECT_EQ(figures_of(file, loaded.figures(conditions)), of_replay)
        << path << " " << conditions.options.value_or("as it is") << " on "
        << conditions.memory.value_or(Bytes{}).count;
  }
}

class SampleInMemory : public testing::TestWithParam<const char*> {};

TEST_P(SampleInMemory, gives_the_figures_of_replays) {
  expect_the_figures_of_replays(samples + GetParam());
}

TEST_P(SampleInMemory, recorded_anew_gives_the_figures_of_replays) {
  const std::string recorded =
      support::own_folder() + "sweep_equals_replay_" + GetParam() + ".pickle";
  const ProgramResult result =
      run_vramlab({"replay", samples + GetParam(), "--snapshot-out", recorded, "--force"}, "");
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  expect_the_figures_of_replays(recorded);
  fs::remove(recorded);
}

TEST_P(SampleInMemory, as_recorded_reaches_the_recorded_peaks) {
  const std::string recorded =
      support::own_folder() + "sweep_as_recorded_" + GetParam() + ".pickle";
  ASSERT_EQ(run_vramlab({"replay", samples + GetParam(), "--snapshot-out", recorded, "--force"}, "")
                .exit_status,
            0);
  const tests::Replayed loaded(recorded);
  for (const replay::DeviceReport& device : loaded.figures({}).devices) {
    EXPECT_EQ(device.peak_reserved.bytes, device.recorded_peak_reserved);
    EXPECT_EQ(device.statistics.requested_bytes.all.peak,
              static_cast<std::int64_t>(device.recorded_peak_requested->count));
  }
  fs::remove(recorded);
}

TEST_P(SampleInMemory, strands_at_its_peak_what_its_state_then_says) {
  for (const char* conf : options) {
    ReplayConditions conditions;
    conditions.options = conf;
    const tests::Replayed source(samples + GetParam());
    const replay::ReplayReport report = source.run(conditions);
    for (const replay::DeviceReport& device : report.devices) {
      replay::ReplayWatch watch;
      watch.until[device.device] = device.peak_reserved.event;
      std::optional<Bytes> stranded;
      watch.at_end = [&](replay::DeviceReplay& at_peak) {
        if (at_peak.device() != device.device) return;
        replay::FragmentationRules rules{};
        rules.settings = at_peak.engine().settings();
        stranded = find_fragmentation(at_peak.take_snapshot(), rules).total.stranded();
      };
      source.run(conditions, watch);
      EXPECT_EQ(device.stranded_at_peak, stranded) << GetParam() << " " << conf;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Bundled, SampleInMemory, testing::ValuesIn(sample_names),
                         [](const auto& instance) {
                           const std::string name = instance.param;
                           return name.substr(0, name.find('.'));
                         });

}  // namespace
}  // namespace vramlab::tests
