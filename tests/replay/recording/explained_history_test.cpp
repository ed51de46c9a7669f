// Recorded cases as snapshots, whole and cut: every replay is exact. Negative controls, recordings
// that no allocator made: each is found, and where it is.

#include <gtest/gtest.h>
#include <algorithm>
#include <filesystem>
#include <set>

#include "tests/support/processes/places.h"
#include "tests/support/recordings/case_history.h"

namespace vramlab::replay {
namespace {

namespace fs = std::filesystem;
using allocator::Action;
using allocator::AllocatorEvent;
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

class AlteredRecording : public ::testing::Test {
 protected:
  const traces::RecordedCase recorded = tests::bundled_case("streams-1076");
  RecordedHistory history = tests::history_of(recorded);
  /// To be altered.
  std::vector<AllocatorEvent> events = history.devices.front().events.to_vector();

  DeviceFidelity fidelity() {
    history.devices.front().events = events;
    return fidelity_of(history, recorded);
  }

  std::size_t nth(Action action, std::size_t n) const {
    for (std::size_t i = 0; i < events.size(); ++i)
      if (events[i].action == action && n-- == 0) return i;
    return events.size();
  }
  /// Each event of the block that begins here goes to another place.
  void move_block(std::size_t alloc, allocator::Address to) {
    const allocator::Address from = events[alloc].address;
    for (std::size_t i = alloc; i < events.size(); ++i) {
      if (events[i].address != from) continue;
      events[i].address = to;
      if (events[i].action == Action::free_completed) return;
    }
  }
};

TEST_F(AlteredRecording, is_exact_as_long_as_it_is_not_altered) {
  EXPECT_EQ(fidelity().label, FidelityLabel::exact);
}

/// Sizes stay, so the block fits there; best fit would not have put it there.
TEST_F(AlteredRecording, with_an_alloc_in_another_place_that_fits_is_found_at_that_alloc) {
  for (std::size_t i = 1; i < events.size(); ++i) {
    const bool is_first_of_large = events[i].action == Action::alloc &&
                                   events[i - 1].action == Action::segment_alloc &&
                                   events[i - 1].size.count == 20U << 20;
    if (!is_first_of_large || events[i].size.count > 8U << 20) continue;
    move_block(i, events[i].address + allocator::Bytes{10U << 20});
    const DeviceFidelity found = fidelity();
    EXPECT_NE(found.label, FidelityLabel::exact);
    ASSERT_TRUE(found.first_difference);
    EXPECT_EQ(found.first_difference->event, i);
    return;
  }
  FAIL() << "no such alloc";
}

/// Without the call that got it, a segment was there from the start and would have served earlier.
/// Every segment of this recording survives, so that pools of their own explain nothing.
TEST(RecordingThatReleasesNothing, is_not_exact_without_one_of_its_segment_calls) {
  const traces::RecordedCase recorded = tests::bundled_case("train-1065");
  const RecordedHistory whole = tests::history_of(recorded);
  std::size_t tried = 0;
  std::set<std::uint64_t> sizes;
  for (std::size_t i = 0; i < whole.devices.front().events.size(); ++i) {
    const AllocatorEvent& event = whole.devices.front().events[i];
    if (event.action != Action::segment_alloc) continue;
    // The first of its size would have served nothing before.
    if (sizes.insert(event.size.count).second) continue;
    ++tried;
    RecordedHistory history = whole;
    std::vector<AllocatorEvent> events = whole.devices.front().events.to_vector();
    events.erase(events.begin() + static_cast<std::ptrdiff_t>(i));
    history.devices.front().events = std::move(events);
    const DeviceFidelity fidelity = fidelity_of(history, recorded);
    EXPECT_NE(fidelity.label, FidelityLabel::exact) << "without event " << i;
    ASSERT_TRUE(fidelity.first_difference);
    EXPECT_LE(fidelity.first_difference->event, i);
  }
  EXPECT_GT(tried, 0U);
}

TEST_F(AlteredRecording, without_a_release_is_found_and_the_reason_given) {
  const std::size_t call = nth(Action::segment_free, 0);
  ASSERT_LT(call, events.size());
  events.erase(events.begin() + static_cast<std::ptrdiff_t>(call));
  const DeviceFidelity found = fidelity();
  EXPECT_NE(found.label, FidelityLabel::exact);
  EXPECT_TRUE(found.first_difference || !found.reasons.empty());
}

TEST_F(AlteredRecording, with_another_size_of_a_segment_call_is_found_there) {
  const std::size_t call = nth(Action::segment_alloc, 3);
  ASSERT_LT(call, events.size());
  events[call].size += allocator::Bytes{2U << 20};
  const DeviceFidelity found = fidelity();
  EXPECT_NE(found.label, FidelityLabel::exact);
  ASSERT_TRUE(found.first_difference);
  EXPECT_LE(found.first_difference->event, call + 1);
  EXPECT_GT(found.segment_calls.wrong, 0U);
}

TEST_F(AlteredRecording, with_another_size_of_an_alloc_is_found) {
  const std::size_t alloc = nth(Action::alloc, 20);
  ASSERT_LT(alloc, events.size());
  events[alloc].size += allocator::Bytes{4096};
  EXPECT_NE(fidelity().label, FidelityLabel::exact);
}

TEST_F(AlteredRecording, with_another_final_block_is_found_at_the_end) {
  for (allocator::SnapshotSegment& segment : history.devices.front().final_segments)
    for (allocator::SnapshotBlock& block : segment.blocks) {
      if (block.state != allocator::BlockState::active_allocated) continue;
      block.requested += allocator::Bytes{1};
      const DeviceFidelity found = fidelity();
      EXPECT_NE(found.label, FidelityLabel::exact);
      ASSERT_TRUE(found.first_difference);
      EXPECT_EQ(found.first_difference->event, events.size());
      return;
    }
  FAIL() << "no block is live at the end";
}

TEST_F(AlteredRecording, with_a_final_segment_of_another_stream_is_found_at_the_end) {
  const DeviceFidelity before = fidelity();
  EXPECT_TRUE(before.final_segments.is_full());
  EXPECT_TRUE(before.sums.is_full());
  EXPECT_GT(before.sums.total, 0U);
  history.devices.front().final_segments.front().stream.value += 1;
  const DeviceFidelity found = fidelity();
  EXPECT_NE(found.label, FidelityLabel::exact);
  EXPECT_FALSE(found.final_segments.is_full());
}

TEST_F(AlteredRecording, without_a_release_has_other_sums) {
  const std::size_t release = nth(Action::segment_free, 0);
  ASSERT_LT(release, events.size());
  events.erase(events.begin() + static_cast<std::ptrdiff_t>(release));
  EXPECT_NE(fidelity().label, FidelityLabel::exact);
}

TEST_F(AlteredRecording, with_sizes_that_no_allocator_gives_is_not_replayed) {
  events[nth(Action::segment_alloc, 1)].size.count += 1;
  const DeviceFidelity found = fidelity();
  EXPECT_EQ(found.label, FidelityLabel::not_replayed);
  ASSERT_FALSE(found.reasons.empty());
  EXPECT_NE(found.reasons.front().find("nothing was replayed"), std::string::npos);
}

TEST_F(AlteredRecording, without_any_event_only_the_final_state_is_looked_at) {
  events.clear();
  EXPECT_EQ(fidelity().label, FidelityLabel::final_state_only);
}

}  // namespace

}  // namespace vramlab::replay
