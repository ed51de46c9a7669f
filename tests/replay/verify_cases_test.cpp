// Recorded cases as snapshots, whole and cut: every replay is exact.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/support/case_history.h"

namespace vramlab::replay {
namespace {

namespace fs = std::filesystem;
using tests::bundled_case;
using tests::fidelity_of;
using tests::history_of;

std::vector<std::string> replayable_case_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(VRAMLAB_SOURCE_DIR "/tests/conformance")) {
    if (entry.path().extension() != ".gz") continue;
    const std::string name = entry.path().stem().stem().string();
    if (tests::is_replayable(bundled_case(name))) names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

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

INSTANTIATE_TEST_SUITE_P(Recorded, VerifiedCase, ::testing::ValuesIn(replayable_case_names()),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace vramlab::replay
