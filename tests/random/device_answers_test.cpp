// Random programs for an executor: whichever device the simulator stands for, its answers hold, and
// every alteration is found. The naive executor tells which have to be found.
#include <gtest/gtest.h>

#include <optional>

#include "tests/support/cases/capture_cases.h"
#include "tests/support/cases/device_answers_check.h"
#include "tests/support/cases/device_programs.h"
#include "tests/support/cases/simulated_executor.h"
#include "tests/support/kit/random_numbers.h"
#include "tests/support/naive/naive_streams.h"

namespace vramlab::tests {
namespace {

using namespace streams;
using Kind = StreamCallKind;

constexpr std::uint64_t answered_programs = 600;

/// Other latencies, limits and queues: another device.
StreamModel some_model(RandomNumbers& random) {
  StreamModel model;
  model.launch_latency = {random.below(50)};
  model.call_time = {random.below(20)};
  model.limits.kernels = static_cast<std::uint32_t>(random.below(4));
  model.limits.copy_engines = static_cast<std::uint32_t>(random.below(3));
  model.limits.hardware_queues = static_cast<std::uint32_t>(random.below(4));
  return model;
}

std::string first_of(const std::vector<std::string>& sentences) {
  return sentences.empty() ? "" : sentences.front();
}

TEST(RandomDeviceAnswers, of_any_simulated_device_hold) {
  for (std::uint64_t seed = 1; seed <= answered_programs; ++seed) {
    const StreamProgram program = make_device_program(seed);
    RandomNumbers random(seed);
    StreamProgram other_times = program;
    for (StreamCall& call : other_times.calls) call.work.duration = {random.below(100)};
    for (const StreamModel& model : {StreamModel{}, some_model(random)}) {
      const DeviceAnswers answers = SimulatedExecutor(model).run(other_times);
      const auto broken = broken_stream_rules(program, answers);
      ASSERT_TRUE(broken.empty()) << "seed " << seed << ": " << first_of(broken) << "\n"
                                  << stream_program_text(program);
    }
  }
}

/// Finds two runs of work without a graph: the first has to end before the second begins, and the
/// naive executor says so by itself.
std::vector<std::pair<WorkRun, WorkRun>> naive_orders(const StreamProgram& program) {
  NaiveStreams naive({});
  for (const StreamCall& call : program.calls) answer_of(naive, call);
  naive.finish();
  std::vector<std::set<std::size_t>> before(naive.items().size());
  std::vector<std::pair<WorkRun, WorkRun>> orders;
  for (std::size_t i = 0; i < naive.items().size(); ++i) {
    const NaiveItem& item = naive.items()[i];
    for (const std::size_t earlier : item.ends_before) {
      before[i].insert(earlier);
      before[i].insert(before[earlier].begin(), before[earlier].end());
    }
    if (item.kind != ItemKind::work) continue;
    for (const std::size_t earlier : before[i])
      if (naive.items()[earlier].kind == ItemKind::work)
        orders.push_back({{naive.items()[earlier].tag, 0}, {item.tag, 0}});
  }
  return orders;
}

TEST(RandomDeviceAnswers, every_order_that_is_broken_is_found) {
  std::uint64_t alterations = 0;
  for (std::uint64_t seed = 1; seed <= answered_programs / 4; ++seed) {
    const StreamProgram program = make_device_program(seed);
    const DeviceAnswers answers = SimulatedExecutor().run(program);
    for (const auto& [earlier, later] : naive_orders(program)) {
      DeviceAnswers altered = answers;
      altered.runs.at(later).ended_before.erase(earlier);
      EXPECT_EQ(broken_stream_rules(program, altered).size(), 1U)
          << "seed " << seed << ", " << work_run_text(later) << " behind "
          << work_run_text(earlier);
      ++alterations;
    }
  }
  EXPECT_GT(alterations, 5'000U);
}

TEST(RandomDeviceAnswers, every_other_error_is_found) {
  std::uint64_t alterations = 0;
  for (std::uint64_t seed = 1; seed <= answered_programs / 4; ++seed) {
    const StreamProgram program = make_device_program(seed);
    const DeviceAnswers answers = SimulatedExecutor().run(program);
    for (std::size_t i = 0; i < answers.calls.size(); ++i) {
      DeviceAnswers altered = answers;
      altered.calls[i].error = "cudaErrorStreamCaptureImplicit";
      EXPECT_EQ(broken_stream_rules(program, altered).size(), 1U) << "seed " << seed;
      ++alterations;
    }
  }
  EXPECT_GT(alterations, 2'000U);
}

TEST(RandomDeviceAnswers, every_wait_that_is_over_too_soon_is_found) {
  std::uint64_t alterations = 0;
  for (std::uint64_t seed = 1; seed <= answered_programs; ++seed) {
    const StreamProgram program = make_device_program(seed);
    const DeviceAnswers answers = SimulatedExecutor().run(program);
    for (std::size_t i = 0; i < answers.calls.size(); ++i) {
      if (program.calls[i].kind != Kind::synchronize_device) continue;
      for (const WorkRun run : answers.calls[i].ended) {
        DeviceAnswers altered = answers;
        altered.calls[i].ended.erase(run);
        EXPECT_FALSE(broken_stream_rules(program, altered).empty()) << "seed " << seed;
        ++alterations;
      }
    }
  }
  EXPECT_GT(alterations, 500U);
}

/// The questions of all programs to an executor.
TEST(RandomDevicePrograms, come_to_everything) {
  std::uint64_t works = 0;
  std::uint64_t captured_runs = 0;
  std::uint64_t queries = 0;
  std::uint64_t elapsed = 0;
  for (std::uint64_t seed = 1; seed <= answered_programs; ++seed) {
    const StreamProgram program = make_device_program(seed);
    const DeviceAnswers answers = SimulatedExecutor().run(program);
    works += answers.runs.size();
    for (const auto& [run, answer] : answers.runs) captured_runs += run.number > 0;
    for (std::size_t i = 0; i < program.calls.size(); ++i) {
      const Kind kind = program.calls[i].kind;
      queries += kind == Kind::query_event || kind == Kind::query_stream;
      elapsed += kind == Kind::elapsed && answers.calls[i].error == "cudaSuccess";
    }
  }
  EXPECT_GT(works, 5'000U);
  EXPECT_GT(captured_runs, 50U);
  EXPECT_GT(queries, 500U);
  EXPECT_GT(elapsed, 20U);
}

TEST(RandomDevicePrograms, of_misuse_are_refused_in_every_way) {
  std::set<std::string> errors;
  for (std::uint64_t seed = 1; seed <= 4 * answered_programs; ++seed) {
    const StreamProgram program = make_capture_misuse_program(seed);
    const DeviceAnswers answers = SimulatedExecutor().run(program);
    EXPECT_FALSE(first_other_error(program, answers)) << "seed " << seed;
    for (const CallAnswer& call : answers.calls) errors.insert(call.error);
  }
  for (const char* error :
       {"Unsupported", "Invalidated", "Merge", "Unjoined", "Isolation", "Implicit", "WrongThread"})
    EXPECT_TRUE(errors.contains(std::string("cudaErrorStreamCapture") + error)) << error;
  EXPECT_TRUE(errors.contains("cudaErrorInvalidValue"));
}

/// Every case says something, has a name of its own, and holds for the simulator.
TEST(CaptureCases, are_whole_programs_that_the_simulator_runs) {
  std::set<std::string> names;
  std::vector<CaptureCase> cases = capture_rule_cases();
  for (CaptureCase& decision : capture_decision_cases()) cases.push_back(std::move(decision));
  for (const CaptureCase& one : cases) {
    EXPECT_TRUE(names.insert(one.rule + one.name).second) << one.name;
    const DeviceAnswers answers = SimulatedExecutor().run(one.program);
    EXPECT_EQ(first_of(broken_stream_rules(one.program, answers)), "") << one.name;
    EXPECT_GT(one.program.calls.size(), 7U);
  }
  for (const char* rule : {"9.1",  "9.2",  "9.3",  "9.4", "9.5", "9.6", "9.7", "9.8", "9.9", "9.10",
                           "9.11", "9.12", "9.13", "D6",  "D11", "D12", "D13", "D14", "D15", "D16"})
    EXPECT_TRUE(std::ranges::any_of(cases, [&](const auto& one) { return one.rule == rule; }))
        << rule;
}

}  // namespace
}  // namespace vramlab::tests
