// Recorded cases as snapshots, whole and cut: every replay is exact.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/support/processes/places.h"
#include "tests/support/recordings/case_history.h"

namespace vramlab::replay {
namespace {

namespace fs = std::filesystem;
using tests::bundled_case;
using tests::fidelity_of;
using tests::history_of;

// Written out, as parameters are made in every run of the test program, whichever test it runs;
// the last test of this file holds the list against the cases.
const std::vector<std::string> replayable_case_names = {"captures-1055",
                                                        "captures-1072",
                                                        "churn-1054",
                                                        "churn-1131",
                                                        "edge-1060",
                                                        "edge-1118",
                                                        "oom-1097",
                                                        "oom-1161",
                                                        "oversize-1010",
                                                        "oversize-1117",
                                                        "pools-1122",
                                                        "pools-1162",
                                                        "pressure-1062",
                                                        "pressure-1075",
                                                        "small-1164",
                                                        "streams-1076",
                                                        "streams-1115",
                                                        "train-1065",
                                                        "train-1199",
                                                        "trainstream-1034",
                                                        "trainstream-1072",
                                                        "trainvar-1105",
                                                        "trainvar-1116",
                                                        "v212-captures-2020",
                                                        "v212-captures-2030",
                                                        "v212-churn-2012",
                                                        "v212-churn-2027",
                                                        "v212-edge-2017",
                                                        "v212-oom-2006",
                                                        "v212-oom-2018",
                                                        "v212-oversize-2025",
                                                        "v212-oversize-2036",
                                                        "v212-pools-2005",
                                                        "v212-pressure-2032",
                                                        "v212-pressure-2037",
                                                        "v212-reuse-2020",
                                                        "v212-reuse-2053",
                                                        "v212-segsize-2022",
                                                        "v212-small-2008",
                                                        "v212-streams-2009",
                                                        "v212-streams-2028",
                                                        "v212-train-2016",
                                                        "v212-train-2029",
                                                        "v212-trainstream-2019",
                                                        "v212-trainstream-2021"};

class VerifiedCase : public ::testing::TestWithParam<std::string> {
 protected:
  static void expect_exact(const DeviceFidelity& fidelity) {
    EXPECT_EQ(fidelity.label, FidelityLabel::exact);
    EXPECT_EQ(fidelity.allocs.exact, fidelity.allocs.total);
    EXPECT_EQ(fidelity.final_blocks.exact, fidelity.final_blocks.total);
    EXPECT_EQ(fidelity.segment_calls.wrong, 0U);
    if (fidelity.first_difference)
      ADD_FAILURE() << "event " << fidelity.first_difference->event << ": "
                    << fidelity.first_difference->text;
  }
};

TEST_P(VerifiedCase, is_replayed_exactly_as_a_whole) {
  const traces::RecordedCase recorded = bundled_case(GetParam());
  const DeviceFidelity fidelity = fidelity_of(history_of(recorded), recorded);
  expect_exact(fidelity);
  EXPECT_TRUE(fidelity.starts_empty);
  EXPECT_GT(fidelity.allocs.total, 0U);
}

TEST_P(VerifiedCase, is_replayed_exactly_from_the_middle_on) {
  const traces::RecordedCase recorded = bundled_case(GetParam());
  const std::size_t count = recorded.expected.trace.size();
  for (const std::size_t first : {count / 3, count * 2 / 3}) {
    SCOPED_TRACE("from entry " + std::to_string(first));
    expect_exact(fidelity_of(history_of(recorded, first), recorded));
  }
}

INSTANTIATE_TEST_SUITE_P(Recorded, VerifiedCase, ::testing::ValuesIn(replayable_case_names),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(VerifiedCases, are_all_the_bundled_ones_that_a_snapshot_can_hold) {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(support::source_dir() + "/tests/conformance")) {
    if (entry.path().extension() != ".gz") continue;
    const std::string name = entry.path().stem().stem().string();
    if (tests::is_replayable(bundled_case(name))) found.push_back(name);
  }
  std::ranges::sort(found);
  EXPECT_EQ(found, replayable_case_names);
}

}  // namespace
}  // namespace vramlab::replay
