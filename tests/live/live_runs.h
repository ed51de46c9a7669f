// The parts that the live tests share, on the fake driver and on a GPU: recorded programs and
// recordings run on a LiveDevice beside the simulation.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "replay/conformance/live_beside_simulated.h"
#include "replay/replayer/replay_report.h"
#include "replay/replayer/replayer.h"
#include "streams/live/driven_live_device.h"
#include "tests/support/cases/live_case.h"
#include "tests/support/processes/places.h"
#include "tests/support/recordings/replayed.h"

namespace vramlab::tests {

/// Devices on GPU 0. The driver must outlive them.
inline replay::MakeDevice live_on(const streams::CudaDriver& driver) {
  return [&driver](const streams::MemoryOptions& memory) {
    return replay::both_sides(std::make_shared<streams::DrivenLiveDevice>(
        driver, streams::LiveOptions{.memory_limit = memory.total}));
  };
}

inline std::filesystem::path recorded_case(const std::string& name) {
  return std::filesystem::path(support::source_dir()) / "tests" / "conformance" / name;
}

inline std::vector<std::string> recorded_case_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(recorded_case("")))
    if (entry.path().extension() == ".gz") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

inline constexpr const char* live_samples[] = {"training.vtrace", "graphs.vtrace.jsonl",
                                               "serving.vtrace.jsonl", "fragments.vtrace",
                                               "overused_record_stream.vtrace.jsonl"};

struct LiveRun {
  replay::ReplayReport report;
  std::vector<std::shared_ptr<replay::DecisionComparison>> comparisons;
};

inline LiveRun run_sample_live(const streams::CudaDriver& driver, const std::string& sample,
                               std::optional<std::string> options = {}) {
  LiveRun run;
  replay::ReplayConditions conditions;
  conditions.timing = replay::FreeTiming::recorded;
  conditions.options = std::move(options);
  conditions.on_out_of_memory = replay::OnOutOfMemory::skip;
  conditions.make_program_device = [&](traces::DeviceIndex device,
                                       const replay::DeviceConditions& of) {
    run.comparisons.push_back(std::make_shared<replay::DecisionComparison>());
    return std::make_unique<replay::LiveBesideSimulated>(device, of, live_on(driver),
                                                         run.comparisons.back());
  };
  const auto file = std::filesystem::path(support::source_dir()) / "traces" / "samples" / sample;
  run.report = tests::Replayed(file.string()).run(conditions);
  return run;
}

inline void expect_same_decisions(const LiveRun& run) {
  ASSERT_FALSE(run.comparisons.empty());
  for (const auto& compared : run.comparisons) {
    EXPECT_GT(compared->events, 0U);
    EXPECT_GT(compared->device_actions, 0U);
    if (compared->difference)
      ADD_FAILURE() << compared->difference->what << ": simulated "
                    << compared->difference->simulated << ", live " << compared->difference->live;
  }
}

}  // namespace vramlab::tests
