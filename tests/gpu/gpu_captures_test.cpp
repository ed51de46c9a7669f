// Each rule and each decision about captures as a small program, run on the GPU and in the
// simulator. A decision's test says what the GPU answered, whether or not we decided so.
#include <algorithm>
#include <iostream>

#include "tests/gpu/gpu_test.h"
#include "tests/support/cases/capture_cases.h"
#include "tests/support/cases/device_answers_check.h"

namespace vramlab::tests {
namespace {

/// Streams and events are made first, and say nothing.
bool is_preparation(const StreamProgram& program, std::size_t call) {
  return std::all_of(program.calls.begin(),
                     program.calls.begin() + static_cast<std::ptrdiff_t>(call) + 1,
                     [](const StreamCall& made) {
                       return made.kind == StreamCallKind::create_stream ||
                              made.kind == StreamCallKind::create_event;
                     });
}

void tell_answers(const CaptureCase& tried, const DeviceAnswers& answers) {
  std::cout << tried.rule << " " << tried.name << ", the GPU answered:\n";
  for (std::size_t i = 0; i < tried.program.calls.size(); ++i)
    if (!is_preparation(tried.program, i))
      std::cout << "  " << stream_call_text(tried.program.calls[i]) << ": "
                << answers.calls[i].error << "\n";
  std::cout << std::flush;
}

enum class Telling { always, of_differences };

void expect_same(const std::vector<CaptureCase>& cases, Telling telling) {
  ASSERT_FALSE(cases.empty());
  GpuExecutor gpu(1'000);
  for (const CaptureCase& tried : cases) {
    const DeviceAnswers answers = gpu.run(tried.program);
    const std::vector<std::string> broken = broken_stream_rules(tried.program, answers);
    EXPECT_TRUE(broken.empty()) << tried.rule << " " << tried.name << ":\n" << lines_of(broken);
    if (telling == Telling::always || !broken.empty()) tell_answers(tried, answers);
  }
}

std::vector<CaptureCase> decision_cases(std::string_view rule) {
  std::vector<CaptureCase> cases = capture_decision_cases();
  std::erase_if(cases, [&](const CaptureCase& one) { return !one.rule.starts_with(rule); });
  return cases;
}

using GpuCaptures = GpuTest;
TEST_F(GpuCaptures, keep_the_rules_of_section_9) {
  expect_same(capture_rule_cases(), Telling::of_differences);
}

/// D6 and D11 to D16 of docs/reference/stream_model.md. Where one fails, the model is wrong: the
/// GPU decides.
using GpuDecisions = GpuTest;
TEST_F(GpuDecisions, asking_about_the_legacy_stream) {
  expect_same(decision_cases("D6"), Telling::always);
}
TEST_F(GpuDecisions, which_calls_are_unsafe) {
  expect_same(decision_cases("D11"), Telling::always);
}
TEST_F(GpuDecisions, what_a_refusal_does_to_the_capture) {
  expect_same(decision_cases("D12"), Telling::always);
}
TEST_F(GpuDecisions, an_event_of_a_capture_that_ended) {
  expect_same(decision_cases("D13"), Telling::always);
}
TEST_F(GpuDecisions, what_counts_as_joined) { expect_same(decision_cases("D14"), Telling::always); }
TEST_F(GpuDecisions, destroying_a_stream_that_captures) {
  expect_same(decision_cases("D15"), Telling::always);
}
TEST_F(GpuDecisions, a_graph_inside_a_capture) {
  expect_same(decision_cases("D16"), Telling::always);
}
TEST_F(GpuDecisions, of_handles_that_nobody_made) {
  expect_same(decision_cases("2."), Telling::always);
  expect_same(decision_cases("3."), Telling::always);
}

}  // namespace
}  // namespace vramlab::tests
