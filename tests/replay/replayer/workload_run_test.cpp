// Every generated workload runs on the engine, on a device that is large enough: no request fails,
// no call is refused, and the checker finds nothing broken.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "allocator/types/reference_version.h"
#include "replay/replayer/program_runner.h"
#include "replay/replayer/subjects.h"
#include "streams/device/simulated_device.h"
#include "tests/support/kit/calls.h"
#include "tests/support/kit/generated.h"

namespace vramlab::replay {
namespace {

using namespace allocator::literals;
using allocator::MallocOutcome;
using allocator::StatisticValues;
using testing::IsEmpty;
using Call = traces::ProgramEvent;
using Kind = traces::ProgramEventKind;

/// The events of a workload, with the texts that its ids name.
class Collected final : public traces::ProgramSink {
 public:
  void program_event(const Call& event) override { calls_.push_back(event); }
  static std::vector<Call> of(const traces::WorkloadRequest& request) {
    traces::SnapshotTables tables;
    Collected collected;
    generate_workload(request, tables, collected);
    for (const Call& call : collected.calls_)
      EXPECT_FALSE(has_text(call.kind) && asks_for_text(call.kind)) << "no texts are kept here";
    return std::move(collected.calls_);
  }

 private:
  static bool asks_for_text(Kind kind) {
    return kind == Kind::options || kind == Kind::checkpoint || kind == Kind::restore;
  }
  std::vector<Call> calls_;
};

std::vector<Call> calls_of(const traces::WorkloadRequest& request) {
  return Collected::of(request);
}

class EngineRun {
 public:
  EngineRun(const std::vector<Call>& calls, std::string_view options)
      : subject_(make_engine_subject(device_, allocator::default_reference_version(), options,
                                     config_error_)),
        runner_(calls, {}, {*subject_, device_}) {}

  /// The checker looks after every so many calls, and at the end.
  void all_checked() {
    constexpr std::size_t between_checks = 2'000;
    for (std::size_t i = 0; i < runner_.call_count(); ++i) {
      runner_.step(i);
      if (i % between_checks != 0) continue;
      ASSERT_EQ(subject_->find_broken_rule(), "") << "call " << i;
    }
    ASSERT_EQ(subject_->find_broken_rule(), "");
  }
  const Answers& answers() const { return runner_.answers(); }
  StatisticValues statistics() const { return subject_->statistics(); }
  allocator::Snapshot snapshot() { return subject_->take_snapshot(); }

 private:
  streams::SimulatedDevice device_{80_GiB};
  std::optional<allocator::SettingsError> config_error_;
  std::unique_ptr<AllocatorSubject> subject_;
  ProgramRunner runner_;
};

class WorkloadOnEngine : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Workloads, WorkloadOnEngine, testing::ValuesIn(support::workload_names));

TEST_P(WorkloadOnEngine, runs_without_errors) {
  for (const char* options : {"", "expandable_segments:True"}) {
    const std::vector<Call> calls = calls_of(support::small_workload(GetParam()));
    EngineRun run(calls, options);
    run.all_checked();
    EXPECT_FALSE(run.answers().first_out_of_memory) << options;
    EXPECT_THAT(run.answers().malloc_failures, IsEmpty()) << options;
    for (const allocator::MallocResult& result : run.answers().results)
      ASSERT_EQ(result.outcome, MallocOutcome::allocated) << options;
  }
}

/// Frees that still wait are completed when the cache is emptied.
TEST_P(WorkloadOnEngine, leaves_nothing_but_what_it_leaks) {
  std::vector<Call> calls = calls_of(support::small_workload(GetParam()));
  calls.push_back(tests::call_of(Kind::empty_cache));
  EngineRun run(calls, "");
  run.all_checked();
  const bool leaks = std::string(GetParam()) == "leak";
  EXPECT_EQ(run.statistics().active_bytes.all.current != 0, leaks);
  EXPECT_EQ(run.statistics().reserved_bytes.all.current != 0, leaks);
}

TEST(GraphsOnEngine, keep_their_pool_until_the_last_graph_is_gone) {
  const std::vector<Call> calls = calls_of(support::small_workload("graphs"));
  const auto release = std::find_if(
      calls.begin(), calls.end(), [](const Call& call) { return call.kind == Kind::pool_release; });
  const auto private_bytes = [](const std::vector<Call>& some_calls) {
    EngineRun run(some_calls, "");
    run.all_checked();
    std::uint64_t bytes = 0;
    for (const allocator::SnapshotSegment& segment : run.snapshot().segments)
      if (segment.pool != allocator::default_pool) bytes += segment.total_size.count;
    return bytes;
  };
  EXPECT_GT(private_bytes({calls.begin(), release}), 0U);
  EXPECT_EQ(private_bytes(calls), 0U);
}

/// The workload is made for that.
TEST(FragmentsOnEngine, hold_much_more_memory_than_they_use) {
  traces::WorkloadRequest request = support::small_workload("fragments");
  request.event_count = 100'000;
  const std::vector<Call> calls = calls_of(request);
  EngineRun run(calls, "");
  run.all_checked();
  const StatisticValues statistics = run.statistics();
  EXPECT_GT(statistics.reserved_bytes.all.peak, 3 * statistics.active_bytes.all.peak / 2);
}

}  // namespace
}  // namespace vramlab::replay
