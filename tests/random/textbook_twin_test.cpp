// The twin is no better than its proof: it answers every bundled recorded case as the reference
// did.
#include "tests/support/twin/textbook_twin.h"
#include "tests/support/processes/places.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "replay/conformance/case_verdict.h"

namespace vramlab::tests {
namespace {

std::vector<std::string> bundled_cases() {
  std::vector<std::string> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator(support::source_dir() + "/tests/conformance"))
    if (entry.path().string().ends_with(".json.gz")) paths.push_back(entry.path().string());
  std::ranges::sort(paths);
  return paths;
}

TEST(TextbookTwin, answers_the_recorded_cases_as_the_reference_did) {
  const std::vector<std::string> paths = bundled_cases();
  EXPECT_GE(paths.size(), 50U);
  for (const std::string& path : paths) {
    const replay::CaseVerdict verdict =
        replay::judge_case(traces::read_recorded_case(path), {make_twin_subject});
    EXPECT_TRUE(verdict.passed()) << verdict_text(verdict);
  }
}

}  // namespace
}  // namespace vramlab::tests
