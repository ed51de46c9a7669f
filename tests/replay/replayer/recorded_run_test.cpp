// A replay as recorded beside its recording, entry by entry.
#include "replay/replayer/recorded_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "tests/support/processes/places.h"
#include "tests/support/recordings/replayed.h"

namespace vramlab::replay {
namespace {

AllocatorEvent entry(Action action, std::uint64_t address, std::uint64_t size = 512) {
  return {action, Address{address}, Bytes{size}, {}, {}, 0};
}

DeviceHistory history_with(std::vector<AllocatorEvent> events) {
  DeviceHistory history;
  history.traits.requests_frees = true;
  history.events = std::move(events);
  return history;
}

const std::vector<AllocatorEvent> some_entries = {entry(Action::segment_alloc, 0x1000, 2097152),
                                                  entry(Action::alloc, 0x1000),
                                                  entry(Action::alloc, 0x1200),
                                                  entry(Action::free_requested, 0x1000),
                                                  entry(Action::free_requested, 0x1200),
                                                  entry(Action::free_completed, 0x1000),
                                                  entry(Action::free_completed, 0x1200),
                                                  entry(Action::oom, 0x777, 1024)};

/// The comparison of these entries with the ones above.
EntryComparison compared(const DeviceHistory& recorded, const std::vector<AllocatorEvent>& made) {
  EntryComparison comparison(recorded);
  for (const AllocatorEvent& one : made) comparison.add({&one, 1});
  comparison.finish();
  return comparison;
}

TEST(EntryComparison, finds_no_difference_where_every_entry_is_made_again) {
  const DeviceHistory recorded = history_with(some_entries);
  std::vector<AllocatorEvent> made = some_entries;
  // Neither the order in which frees complete nor the device's free memory is told apart.
  std::swap(made[5], made[6]);
  made[7].address = Address{};
  const EntryComparison comparison = compared(recorded, made);
  EXPECT_FALSE(comparison.difference());
  EXPECT_EQ(comparison.agreement().total, some_entries.size());
  EXPECT_TRUE(comparison.agreement().is_full());
}

TEST(EntryComparison, leaves_out_snapshots_and_requests_of_frees_that_files_do_not_hold) {
  DeviceHistory recorded = history_with({entry(Action::alloc, 0x1000), entry(Action::snapshot, 0),
                                         entry(Action::free_completed, 0x1000)});
  recorded.traits.requests_frees = false;
  const EntryComparison comparison =
      compared(recorded, {entry(Action::alloc, 0x1000), entry(Action::free_requested, 0x1000),
                          entry(Action::free_completed, 0x1000)});
  EXPECT_FALSE(comparison.difference());
  EXPECT_EQ(comparison.agreement().total, 2U);
}

TEST(EntryComparison, knows_a_recording_that_begins_between_the_entries_of_a_free) {
  const AllocatorEvent half = entry(Action::free_completed, 0x1000);
  const std::vector<AllocatorEvent> rest = {entry(Action::free_requested, 0x1200),
                                            entry(Action::free_completed, 0x1200),
                                            entry(Action::alloc, 0x2000)};
  std::vector<AllocatorEvent> events = rest;
  events.insert(events.begin(), half);
  const DeviceHistory recorded = history_with(events);
  // A replay completes it in the next request.
  std::vector<AllocatorEvent> made = rest;
  EXPECT_TRUE(compared(recorded, made).difference());
  made.insert(made.end() - 1, half);
  const EntryComparison comparison = compared(recorded, made);
  EXPECT_FALSE(comparison.difference());
  EXPECT_EQ(comparison.agreement().total, events.size());
}

TEST(EntryComparison, names_the_first_event_that_is_made_otherwise) {
  const DeviceHistory recorded = history_with(some_entries);
  std::vector<AllocatorEvent> made = some_entries;
  made[2].address = Address{0x1400};
  const EntryComparison comparison = compared(recorded, made);
  ASSERT_TRUE(comparison.difference());
  EXPECT_EQ(comparison.difference()->event, 2U);
  EXPECT_EQ(
      comparison.difference()->text,
      "recorded alloc of 512 bytes at 0x1200, the replay as recorded makes alloc of 512 bytes "
      "at 0x1400");
  EXPECT_EQ(comparison.agreement().exact, 2U);
  EXPECT_EQ(comparison.agreement().total, some_entries.size());
}

TEST(EntryComparison, misses_entries_of_every_kind_that_are_not_made) {
  for (std::size_t left_out = 0; left_out < some_entries.size(); ++left_out) {
    const DeviceHistory recorded = history_with(some_entries);
    std::vector<AllocatorEvent> made = some_entries;
    made.erase(made.begin() + static_cast<std::ptrdiff_t>(left_out));
    EXPECT_TRUE(compared(recorded, made).difference()) << left_out;
    EXPECT_TRUE(compared(history_with(made), some_entries).difference()) << left_out;
  }
}

/// A recording in which requests fail and the program goes on.
class FailuresAsRecorded : public testing::Test {
 protected:
  RecordedRun run_beside(const DeviceHistory& history) {
    const VerifyConditions& rules = recording_.recording().rules();
    const HistoryProgram& program = *recording_.replayer().history(0);
    return run_as_recorded(history, program, recorded_setup("file", rules, program),
                           recording_.recording().tables().texts);
  }

  tests::Replayed recording_{support::source_dir() + "/tests/truth/chunks_4.pickle.gz"};
};

TEST_F(FailuresAsRecorded, are_made_again_with_all_other_entries) {
  const RecordedRun run = run_beside(recording_.recording().history().devices.front());
  EXPECT_FALSE(run.departure);
  EXPECT_TRUE(run.entries.is_full());
  EXPECT_GT(run.entries.total, 0U);
}

TEST_F(FailuresAsRecorded, are_missed_where_a_file_has_none) {
  DeviceHistory altered = recording_.recording().history().devices.front();
  std::vector<AllocatorEvent> events = altered.events.to_vector();
  const auto failed = std::ranges::find(events, Action::oom, &AllocatorEvent::action);
  const auto event = static_cast<std::size_t>(failed - events.begin());
  events.erase(failed);
  altered.events = events;
  const RecordedRun run = run_beside(altered);
  ASSERT_TRUE(run.departure);
  EXPECT_EQ(run.departure->event, event);
}

/// Their first events stand for how little memory there was.
TEST(ReplayWatched, tells_the_start_of_a_recording_once_whatever_memory_there_is) {
  for (const char* name : {"retry_late_tight", "frag_2400.exp", "budget_0.07"}) {
    SCOPED_TRACE(name);
    const tests::Replayed recording(support::source_dir() + "/tests/truth/" + name + ".pickle.gz");
    for (const std::optional<Bytes> memory :
         {std::optional<Bytes>{}, std::optional(Bytes{1ULL << 40})}) {
      ReplayConditions conditions;
      conditions.memory = memory;
      int starts = 0;
      ReplayWatch watch;
      watch.at_start = [&starts](DeviceReplay&) { ++starts; };
      recording.run(conditions, watch);
      EXPECT_EQ(starts, 1);
    }
  }
}

TEST(ReplayedAsRecorded, calls_a_recording_exact_that_its_replay_makes_again) {
  tests::Replayed recording(support::source_dir() + "/tests/truth/chunks_4.pickle.gz");
  const Fidelity fidelity = verify(recording.recording());
  EXPECT_EQ(fidelity.label(), FidelityLabel::exact);
  EXPECT_TRUE(fidelity.devices.front().replayed.is_full());
}

}  // namespace
}  // namespace vramlab::replay
