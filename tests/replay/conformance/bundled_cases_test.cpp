// Runs every recorded case in tests/conformance through the engine.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "replay/conformance/case_verdict.h"
#include "replay/replayer/subjects.h"
#include "tests/support/processes/places.h"
#include "traces/cases/recorded_case.h"
#include "traces/model/call_forms.h"

namespace vramlab::replay {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> bundled_case_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(support::source_dir() + "/tests/conformance"))
    if (entry.path().extension() == ".gz") names.push_back(entry.path().stem().stem().string());
  std::ranges::sort(names);
  return names;
}

traces::RecordedCase read_bundled(const std::string& name) {
  return traces::read_recorded_case(support::source_dir() + "/tests/conformance/" + name +
                                    ".json.gz");
}

class BundledCase : public ::testing::TestWithParam<std::string> {};

TEST_P(BundledCase, the_engine_answers_as_the_reference_did) {
  const CaseVerdict verdict = judge_case(read_bundled(GetParam()), {make_engine_subject});
  EXPECT_TRUE(verdict.passed()) << verdict_text(verdict);
}

TEST_P(BundledCase, streams_in_virtual_time_change_no_answer) {
  const CaseVerdict verdict =
      judge_case(read_bundled(GetParam()), {make_engine_subject, CaseStreams::virtual_time});
  EXPECT_TRUE(verdict.passed()) << verdict_text(verdict);
}

INSTANTIATE_TEST_SUITE_P(Recorded, BundledCase, ::testing::ValuesIn(bundled_case_names()),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(BundledCases, every_kind_of_call_occurs) {
  std::set<traces::ProgramEventKind> kinds;
  for (const std::string& name : bundled_case_names())
    for (const traces::ProgramEvent& call : read_bundled(name).program.calls)
      kinds.insert(call.kind);
  EXPECT_EQ(kinds.size(), traces::call_forms().size());
}

}  // namespace
}  // namespace vramlab::replay
