// A history that lies in scratch files gives the same answers as one in memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "replay/compare/history_metrics.h"
#include "replay/html_report/report_page.h"
#include "replay/recording/recorded_states.h"
#include "tests/support/kit/own_folder.h"
#include "tests/support/kit/random_numbers.h"
#include "tests/support/recordings/case_history.h"
#include "tests/support/recordings/replayed.h"

namespace vramlab::replay {
namespace {

using allocator::AllocatorEvent;
using tests::RandomNumbers;

/// So small that every history of a case needs many chunks.
traces::ScratchPlace small_place() {
  return {.folder = support::own_folder(), .most_bytes_in_memory = 1024, .chunk_bytes = 512};
}

/// A history from some entry on; every other history has an event that did not happen like this.
RecordedHistory in_memory(const traces::RecordedCase& recorded, std::uint64_t seed) {
  RandomNumbers random(seed);
  RecordedHistory history =
      tests::history_of(recorded, seed < 2 ? 0 : random.below(recorded.expected.trace.size() / 2));
  DeviceHistory& device = history.devices.front();
  std::vector<AllocatorEvent> events = device.events.to_vector();
  if (seed % 2 == 1) {
    const std::size_t at = random.below(events.size());
    if (seed % 4 == 1)
      events.erase(events.begin() + static_cast<std::ptrdiff_t>(at));
    else
      events[at].address.value += 512;
  }
  device.events = std::move(events);
  return history;
}

RecordedHistory in_files(const RecordedHistory& whole) {
  RecordedHistory history = whole;
  for (DeviceHistory& device : history.devices) {
    RecordedEvents events(small_place());
    for (const AllocatorEvent& event : device.events) events.push_back(event);
    device.events = std::move(events);
  }
  return history;
}

std::string text_of(const DeviceFidelity& fidelity) {
  std::string text(fidelity_label_name(fidelity.label));
  for (const std::uint64_t figure :
       {fidelity.allocs.exact, fidelity.segment_calls.explained, fidelity.segment_calls.wrong,
        fidelity.final_blocks.exact, fidelity.inferred.pool_assumed_allocs})
    text += " " + std::to_string(figure);
  for (const std::string& reason : fidelity.reasons) text += ", " + reason;
  if (fidelity.first_difference) text += ": " + fidelity.first_difference->text;
  return text;
}

class ScratchedHistory : public ::testing::TestWithParam<const char*> {
 protected:
  const traces::RecordedCase recorded = tests::bundled_case(GetParam());
  traces::SnapshotTables tables;
  const VerifyConditions conditions{
      *recorded.program.version,
      false,
      {parse_settings({}, recorded.program.config, *recorded.program.version).settings, {}}};

  RecordedStates states_of(const RecordedHistory& history, const Moment& moment) {
    Recording recording = tests::recording_of(history, tables, recorded.program.version);
    return recorded_states(recording, moment);
  }
  void expect_same_states(const RecordedHistory& a, const RecordedHistory& b) {
    const std::size_t count = a.devices.front().events.size();
    for (const Moment& moment : {Moment{MomentKind::peak}, Moment{MomentKind::event, count / 3},
                                 Moment{MomentKind::out_of_memory}, Moment{MomentKind::end}}) {
      const auto one = states_of(a, moment);
      const auto two = states_of(b, moment);
      ASSERT_EQ(one.states.size(), two.states.size());
      EXPECT_EQ(one.doubts, two.doubts);
      if (one.states.empty()) continue;
      EXPECT_EQ(one.states.front().snapshot, two.states.front().snapshot);
      EXPECT_EQ(one.states.front().history, two.states.front().history);
      EXPECT_EQ(one.states.front().origins.size(), two.states.front().origins.size());
    }
  }
  MetricValues figures_of(const RecordedHistory& history) const {
    const DeviceHistory& device = history.devices.front();
    return history_metrics(device, explain(device, conditions));
  }
  std::string page(const RecordedHistory& history) const {
    std::vector<ExplainedHistory> explained;
    for (const DeviceHistory& device : history.devices)
      explained.push_back(walk_history(device, conditions));
    ReportInput input;
    for (std::size_t i = 0; i < explained.size(); ++i)
      input.devices.push_back({history.devices[i], explained[i]});
    std::string bytes;
    return report_run(input, tables, conditions.settings.settings, {}, bytes).dump() + bytes;
  }
};

TEST_P(ScratchedHistory, is_verified_shown_measured_and_reported_as_one_in_memory) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RecordedHistory held = in_memory(recorded, seed);
    const RecordedHistory scratched = in_files(held);
    ASSERT_LT(scratched.devices.front().events.records_in_memory(),
              held.devices.front().events.records_in_memory());
    EXPECT_EQ(text_of(tests::fidelity_of(held, recorded)),
              text_of(tests::fidelity_of(scratched, recorded)));
    expect_same_states(held, scratched);
    const MetricValues figures = figures_of(held);
    const MetricValues same = figures_of(scratched);
    EXPECT_TRUE(std::ranges::equal(figures, same, [](const auto& a, const auto& b) {
      return a.name == b.name && a.value == b.value;
    }));
    EXPECT_EQ(page(held), page(scratched));
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, ScratchedHistory,
                         ::testing::Values("streams-1076", "train-1065", "pools-1122",
                                           "oversize-1117"),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace vramlab::replay
